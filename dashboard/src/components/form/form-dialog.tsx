/** A dialog with a form. It shows the reason when the server refuses the form, and keeps the text in its fields. */
import { cloneElement, type ReactElement, type ReactNode, useId } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { FieldErrors, FormProblem } from './form-row.tsx';
import type { FormState } from './use-form.ts';

interface Props {
  readonly title: string;
  /** The verb on the button: `Invite`. */
  readonly action: string;
  readonly form: FormState;
  /** True when all required fields are filled in. */
  readonly isReady: boolean;
  /** Tells the missing value while it is not ready. */
  readonly lack?: string;
  /** It must close the dialog itself. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly width?: 'narrow' | 'wide';
}

/** The notice of an act whose result may be out of sight. Other dialogs show their result, or the page does. */
const outcomes: Readonly<Record<string, string>> = { Save: 'Saved', Add: 'Added', Create: 'Created' };

export function FormDialog({
  title,
  action,
  form,
  isReady,
  lack,
  onSubmit,
  onClose,
  children,
  width = 'narrow',
}: Props) {
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
          <Button kind="primary" type="submit" form={id} disabled={!canSend} title={isReady ? undefined : lack}>
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
          if (canSend) void form.send(onSubmit, outcomes[action]);
        }}
      >
        {children}
        <FormProblem of={form} className={form.layout === 'rows' ? 'mt-2' : ''} />
      </form>
    </Dialog>
  );
}

interface FieldProps {
  /** The id of the control. Without it, the control gets one. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** The input, select or text area. */
  readonly children: ReactNode;
  readonly className?: string;
}

/** A control below its name, with its problem. */
export function Field({ id, label, hint, error, children, className }: FieldProps) {
  const own = useId();
  return (
    <div className={className}>
      <label htmlFor={id ?? own} className="mb-0.5 block text-xs text-quiet">
        {label}
      </label>
      {id === undefined ? cloneElement(children as ReactElement<{ id: string }>, { id: own }) : children}
      <FieldErrors errors={error === undefined ? [] : [error]} />
      {hint ? <p className="mt-0.5 text-xs text-quiet">{hint}</p> : null}
    </div>
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
