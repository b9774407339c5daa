import { useState } from 'react';
import { type FieldProblem, Problem } from '../../api/problem.ts';
import type { FormValues } from './form-schema.ts';

/**
 * Values of a schema form and their problems. Problems are shown from the first try to send on.
 * Spread `props` on the form, call `isReady` before sending, and `refuse` with what the server threw.
 */
export function useSchemaForm(initial: FormValues) {
  const [value, setValue] = useState(initial);
  const [found, setFound] = useState<readonly FieldProblem[]>([]);
  const [refused, setRefused] = useState<readonly FieldProblem[]>([]);
  const [isTried, setTried] = useState(false);
  return {
    value,
    setValue,
    props: {
      value,
      onChange: (next: FormValues) => {
        setValue(next);
        setRefused([]);
      },
      onProblems: setFound,
      problems: [...refused, ...(isTried ? found : [])],
    },
    isReady(): boolean {
      setTried(true);
      return found.length === 0;
    },
    /** `field`: the field of the request that held the values, `parameters`. */
    refuse(error: unknown, field: string): void {
      setRefused(problemsIn(error, field));
    },
  };
}

/** Names the field of a refusal such as `Validation failed for field 'a.b'. Failure reason: …`. */
const REFUSED_FIELD = /for field ['"]([\w.]+)['"]\. Failure reason: (.*)$/s;

function problemsIn(error: unknown, field: string): FieldProblem[] {
  if (!(error instanceof Problem))
    return [{ path: [], message: error instanceof Error ? error.message : String(error) }];
  const own = error.fields
    .filter(({ path }) => path[0] === field)
    .map(({ path, message }) => ({ path: path.slice(1), message }));
  if (own.length > 0) return own;
  const [, path, reason] = REFUSED_FIELD.exec(error.message) ?? [];
  return [path && reason ? { path: path.split('.'), message: `${reason}.` } : { path: [], message: error.message }];
}
