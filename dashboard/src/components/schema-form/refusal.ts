import { type FieldProblem, Problem } from '../../api/problem.ts';

/** Matches the field in a refusal such as `Validation failed for field 'a.b'. Failure reason: …`. */
const REFUSED_FIELD = /for field ['"]([\w.]+)['"]\. Failure reason: (.*)$/s;

/** The server's problems with the fields inside of `field`, a field of the request. */
export function problemsIn(error: unknown, field: string): FieldProblem[] {
  if (!(error instanceof Problem))
    return [{ path: [], message: error instanceof Error ? error.message : String(error) }];
  const own = error.fields
    .filter(({ path }) => path[0] === field)
    .map(({ path, message }) => ({ path: path.slice(1), message }));
  if (own.length > 0) return own;
  const [, path, reason] = REFUSED_FIELD.exec(error.message) ?? [];
  return [path && reason ? { path: path.split('.'), message: `${reason}.` } : { path: [], message: error.message }];
}
