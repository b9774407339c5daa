/** Converts the values of a form for sending, and problems for the form. */
import type { ErrorSchema } from '@rjsf/utils';
import type { FieldProblem } from '../../api/problem.ts';
import { type FormValues, objectOf } from './form-schema.ts';

/** Omits emptied fields, and fields whose null means absence. */
export function withoutEmpty(value: unknown, optional: ReadonlySet<string>): FormValues {
  const given = Object.entries(objectOf(JSON.parse(JSON.stringify(value ?? {}))));
  return Object.fromEntries(given.filter(([name, one]) => one !== null || !optional.has(name)));
}

/** Problems by field, in the form's structure. Those of the whole form are shown elsewhere. */
export function errorSchemaOf(problems: readonly FieldProblem[]): ErrorSchema {
  const inFields = problems.filter(({ path }) => path.length > 0);
  const byField = Map.groupBy(inFields, ({ path: [field = ''] }) => field);
  return Object.fromEntries(
    [...byField].map(([field, some]) => {
      const errors = some.filter(({ path }) => path.length === 1).map(({ message }) => message);
      const below = errorSchemaOf(some.map(({ path, message }) => ({ path: path.slice(1), message })));
      return [field, errors.length > 0 ? { ...below, __errors: errors } : below];
    }),
  ) as ErrorSchema;
}
