/** A control below its name, with its problem. */
import { cloneElement, type ReactElement, type ReactNode, useId } from 'react';
import { FieldErrors } from '../components/form-row.tsx';

interface Props {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** The control, which gets the id to which the name refers. */
  readonly children: ReactElement<{ id?: string; 'aria-invalid'?: boolean }>;
  readonly className?: string;
}

export function Field({ title, hint, error, children, className = '' }: Props) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-0.5 block text-xs text-quiet">
        {title}
      </label>
      {cloneElement(children, { id, 'aria-invalid': error !== undefined })}
      <FieldErrors errors={error === undefined ? [] : [error]} />
      {hint ? <p className="mt-0.5 text-xs text-quiet">{hint}</p> : null}
    </div>
  );
}
