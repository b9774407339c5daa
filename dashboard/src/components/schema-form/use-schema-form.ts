import { useState } from 'react';
import type { FieldProblem } from '../../api/problem.ts';
import type { FormValues } from './form-schema.ts';
import { problemsIn } from './refusal.ts';

/**
 * Values of a schema form and their problems. Problems are shown from the first attempt to send on. Spread `props` on
 * the form, call `isReady` before sending, and call `refuse` with the server's error.
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
    /** `field` is the field of the request with the values: `parameters`. */
    refuse(error: unknown, field: string): void {
      setRefused(problemsIn(error, field));
    },
  };
}
