/** The parts of a page, one at a time. The address contains the current one, so the page passes it in. */
import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** Number beside the title; absent until it is known. */
  readonly count?: number | undefined;
  readonly content: () => ReactNode;
}

interface Props {
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly className?: string;
}

export function Tabs({ tabs, value, onChange, className = '' }: Props) {
  return (
    <Base.Root value={value} onValueChange={(id) => onChange(String(id))} className={className}>
      <Base.List className="ruled flex gap-4 overflow-x-auto px-6 max-sm:px-4" data-screen-only>
        {tabs.map(({ id, title, count }) => (
          <Base.Tab
            key={id}
            value={id}
            className="-mb-px border-b-2 border-transparent pb-1.5 whitespace-nowrap text-soft hover:text-ink data-active:border-ink data-active:font-medium data-active:text-ink"
          >
            {title}
            {count ? <span className="tabular ml-1 text-xs text-quiet">{count.toLocaleString('en')}</span> : null}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, content }) => (
        <Base.Panel key={id} value={id} className="px-6 pt-4 max-sm:px-4">
          {id === value ? content() : null}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
