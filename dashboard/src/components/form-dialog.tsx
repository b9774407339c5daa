/** A dialog with a form. It shows the reason when the server refuses the form, and keeps the text in its fields. */
import { type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormProblem } from './form-row.tsx';
import type { FormState } from './use-form.ts';

interface Props {
  readonly title: string;
  /** The verb on the button: `Invite`. */
  readonly action: string;
  readonly form: FormState;
  /** True when all required fields are filled in. */
  readonly isReady: boolean;
  /** It must close the dialog itself. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly width?: 'narrow' | 'wide';
}

export function FormDialog({ title, action, form, isReady, onSubmit, onClose, children, width = 'narrow' }: Props) {
  const id = useId();
  const canSend = isReady && !form.isBusy && !form.isWrong;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      width={width}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} disabled={!canSend}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className={form.layout === 'rows' ? '' : 'flex flex-col gap-4'}
        onSubmit={(event) => {
          event.preventDefault();
          if (canSend) void form.send(onSubmit);
        }}
      >
        {children}
        <FormProblem of={form} className={form.layout === 'rows' ? 'mt-2' : ''} />
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The input, select or text area. */
  readonly children: ReactNode;
}

export function Field({ label, hint, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className="block">
      <span className="mb-1 block text-xs text-quiet">{label}</span>
      {children}
      {hint ? <span className="mt-1 block text-xs text-quiet">{hint}</span> : null}
    </label>
  );
}

interface ChoiceProps<Value extends string> {
  readonly id?: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
  /** Label for screen readers, if no field names it. */
  readonly label?: string;
  readonly disabled?: boolean;
  readonly className?: string;
}

/** The title of a value among choices; the value itself if it has none. */
export function titleOf(choices: readonly (readonly [string, string])[], value: string): string {
  return choices.find(([one]) => one === value)?.[1] ?? value;
}

/** One of a few values. */
export function Choice<Value extends string>({
  id,
  value,
  choices,
  onChange,
  label,
  disabled,
  className = '',
}: ChoiceProps<Value>) {
  return (
    <select
      id={id}
      aria-label={label}
      disabled={disabled}
      className={`field pr-6 ${className}`}
      value={value}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {choices.map(([one, title]) => (
        <option key={one} value={one}>
          {title}
        </option>
      ))}
    </select>
  );
}
