import { useState } from 'react';
import { Problem } from '../api/problem.ts';

/** What a dialog and the fields need to know of a form, whatever its values are. */
export interface FormState {
  /** Names stand above their fields, or to the left of them. */
  readonly layout: 'stacked' | 'rows';
  /** True if a field for a number has other text. */
  readonly isWrong: boolean;
  /** The sentences of the server by the name of their field. */
  readonly problems: ReadonlyMap<string, string>;
  /** Answers whether the form has all fields of which the server complains, so that they tell the whole problem. */
  readonly refuse: (error: unknown) => boolean;
}

export interface Form<Values extends object> extends FormState {
  readonly values: Values;
  readonly set: (part: Partial<Values>) => void;
}

/** The values of a form by the names of its fields. A number is null if its field is empty, and NaN if it has other text. */
export function useForm<Values extends object>(
  initial: Values | (() => Values),
  layout: FormState['layout'] = 'stacked',
): Form<Values> {
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<FormState['problems']>(new Map());
  return {
    layout,
    values,
    set: (part) => setValues((before) => ({ ...before, ...part })),
    isWrong: Object.values(values).some(Number.isNaN),
    problems,
    refuse: (error) => {
      const fields = error instanceof Problem ? error.fields : [];
      const named = fields.map(({ path, message }) => [path.join('.'), message] as const);
      setProblems(new Map(named));
      return named.length > 0 && named.every(([name]) => name in values);
    },
  };
}
