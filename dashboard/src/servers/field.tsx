/** A control below its name, with what is wrong with it. */
import type { ReactNode } from 'react';
import { FieldErrors } from '../components/form-row.tsx';

interface Props {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Field({ title, hint, error, children, className = '' }: Props) {
  return (
    <div className={className}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is the child. */}
      <label className="block">
        <span className="mb-0.5 block text-xs text-quiet">{title}</span>
        {children}
      </label>
      <FieldErrors errors={error === undefined ? [] : [error]} />
      {hint ? <p className="mt-0.5 text-xs text-quiet">{hint}</p> : null}
    </div>
  );
}
