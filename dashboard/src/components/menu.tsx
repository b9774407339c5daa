/** A menu behind a button. */
import { Menu as Base } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { IconButton } from './button.tsx';

interface MenuProps {
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} className="z-50 outline-none">
          <Base.Popup className="min-w-44 rounded-panel border border-line bg-surface p-1 shadow-raised outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** The menu behind `…`. */
export function MoreMenu({ children }: { readonly children: ReactNode }) {
  const trigger = (
    <IconButton label="More">
      <Ellipsis size={15} />
    </IconButton>
  );
  return <Menu trigger={trigger}>{children}</Menu>;
}

interface ItemProps {
  readonly onSelect: () => void;
  readonly children: ReactNode;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
  /** Text after the label: a key. */
  readonly hint?: string;
}

const itemClass =
  'flex min-h-7 w-full items-center gap-2 rounded-control px-2 text-sm outline-none data-highlighted:bg-hover data-disabled:opacity-50';

export function MenuItem({ onSelect, children, isDangerous = false, disabled = false, hint }: ItemProps) {
  return (
    <Base.Item
      disabled={disabled}
      onClick={onSelect}
      className={`${itemClass} ${isDangerous ? 'text-failed-text' : ''}`}
    >
      <span className="flex-1">{children}</span>
      {hint ? <kbd className="font-sans text-xs text-quiet">{hint}</kbd> : null}
    </Base.Item>
  );
}

export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={itemClass}>
      <span className="w-4 text-center">
        <Base.CheckboxItemIndicator>✓</Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}

/** Items below a heading. */
export function MenuGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2 pt-1.5 pb-0.5 text-xs text-quiet">{title}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}
