import { useState } from 'react';
import { useAction } from './use-action.ts';

/** The parts of a form that do not depend on its values. */
export interface FormState {
  /** Names stand above their fields, or to the left of them. */
  readonly layout: 'stacked' | 'rows';
  /** True if a field for a number has other text. */
  readonly isWrong: boolean;
  readonly isBusy: boolean;
  /** The sentences of the server by the name of their field. */
  readonly problems: ReadonlyMap<string, string>;
  /** The reason for the last failure, unless fields of the form show all of it. */
  readonly problem: string | undefined;
  readonly send: (change: () => Promise<unknown>) => Promise<boolean>;
}

export interface Form<Values extends object> extends FormState {
  readonly values: Values;
  readonly set: (part: Partial<Values>) => void;
}

/**
 * The values of a form by the names of its fields. A number is null if its field is empty, and NaN if the field has
 * other text.
 */
export function useForm<Values extends object>(
  initial: Values | (() => Values),
  layout: FormState['layout'] = 'stacked',
): Form<Values> {
  const [values, setValues] = useState(initial);
  const { isBusy, fields, problem, run } = useAction();
  const isShown = fields.size > 0 && [...fields.keys()].every((name) => name in values);
  return {
    layout,
    values,
    set: (part) => setValues((before) => ({ ...before, ...part })),
    isWrong: Object.values(values).some(Number.isNaN),
    isBusy,
    problems: fields,
    problem: isShown ? undefined : problem,
    send: run,
  };
}
