/** A field of a form: its name on the left, the control and its problem on the right. */
import type { ReactNode } from 'react';
import { ProblemNote } from '../problem-note.tsx';
import { shortened } from '../text/shortened.ts';
import type { FormState } from './use-form.ts';

interface Props {
  /** The id of the control that the name labels, if there is one. */
  readonly id?: string | undefined;
  readonly title: string;
  readonly description?: string | undefined;
  readonly isRequired?: boolean | undefined;
  /** The expected values in a word or two. */
  readonly kind?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly children: ReactNode;
}

export function FormRow({ id, title, description, isRequired = false, kind, errors = [], children }: Props) {
  const name = (
    <>
      {shortened(title)}
      {isRequired ? (
        <span className="text-quiet" title="A value is needed">
          {' *'}
        </span>
      ) : null}
    </>
  );
  return (
    <div className="grid grid-cols-[11rem_minmax(0,1fr)] gap-x-4 py-1.5 max-sm:grid-cols-1">
      <div className="min-w-0 pt-1 break-words">
        {id === undefined ? (
          <span className="font-medium">{name}</span>
        ) : (
          <label htmlFor={id} className="font-medium">
            {name}
          </label>
        )}
        {kind ? <span className="ml-1.5 text-2xs whitespace-nowrap text-quiet">{kind}</span> : null}
      </div>
      <div className="min-w-0">
        {children}
        <FieldErrors errors={errors} />
        {description ? <p className="mt-0.5 text-xs whitespace-pre-line text-quiet">{shortened(description)}</p> : null}
      </div>
    </div>
  );
}

export function FieldErrors({ errors = [] }: { readonly errors?: readonly string[] | undefined }) {
  return errors.map((error) => (
    <p key={error} role="alert" className="mt-0.5 text-xs text-failed-text">
      {error}
    </p>
  ));
}

/** The reason why the server refused the form, if its fields do not show it. */
export function FormProblem({ of, className = '' }: { readonly of: FormState; readonly className?: string }) {
  return <ProblemNote text={of.problem} className={className} />;
}
