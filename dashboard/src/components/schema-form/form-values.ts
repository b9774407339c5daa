/** The values of a form as they are sent, and problems as the form shows them. */
import type { ErrorSchema } from '@rjsf/utils';
import type { FieldProblem } from '../../api/problem.ts';
import { type FormValues, objectOf } from './form-schema.ts';

/** Fields that were emptied are absent, and so are those whose null says no more than that. */
export function withoutEmpty(value: unknown, optional: ReadonlySet<string>): FormValues {
  const given = Object.entries(objectOf(JSON.parse(JSON.stringify(value ?? {}))));
  return Object.fromEntries(given.filter(([name, one]) => one !== null || !optional.has(name)));
}

/** Problems by field, as the form draws them. Those of the whole form are shown elsewhere. */
export function errorSchemaOf(problems: readonly FieldProblem[]): ErrorSchema {
  const root: ErrorSchema = {};
  for (const { path, message } of problems) {
    if (path.length === 0) continue;
    let node = root as Record<string, ErrorSchema>;
    for (const part of path) {
      node[part] ??= {};
      node = node[part] as Record<string, ErrorSchema>;
    }
    const errors = (node as ErrorSchema).__errors ?? [];
    (node as ErrorSchema).__errors = [...errors, message];
  }
  return root;
}
