/**
 * A form made from a JSON schema: parameters of a run, fields of a block, variables of a job. It is loaded when it is
 * shown.
 */
import { lazy, Suspense } from 'react';
import type { FieldProblem } from '../../api/problem.ts';
import { Skeleton } from '../states-of-loading.tsx';
import type { FormValues, JsonSchema } from './form-schema.ts';

export interface SchemaFormProps {
  /** Label of the section: `Parameters`. */
  readonly label: string;
  readonly schema: JsonSchema;
  readonly value: FormValues;
  /** Also called at the start, when the schema has defaults for fields without a value. */
  readonly onChange: (value: FormValues) => void;
  /**
   * Called with the problems of the values. The form may be sent when there are none. It must stay the same function.
   */
  readonly onProblems?: (problems: readonly FieldProblem[]) => void;
  /** Shown at their fields; those with an empty path are shown above all fields. */
  readonly problems?: readonly FieldProblem[];
  readonly isReadOnly?: boolean;
}

const View = lazy(async () => ({ default: (await import('./form.tsx')).SchemaFormView }));

export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Skeleton rows={4} />}>
      <View {...props} />
    </Suspense>
  );
}
