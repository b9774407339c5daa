import { useState } from 'react';
import { useAction } from '../use-action.ts';

/** The values and problems that a field needs: those of a form, or of the part of it below a name. */
export interface Part<Values extends object> {
  /** Names stand above their fields, or to the left of them. */
  readonly layout: 'stacked' | 'rows';
  readonly values: Values;
  readonly set: (part: Partial<Values>) => void;
  /** The sentences of the server by the name of their field. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The parts of a form that do not depend on its values. */
export interface FormState extends Pick<Part<object>, 'layout' | 'problems'> {
  /** True if a field for a number has other text. */
  readonly isWrong: boolean;
  readonly isBusy: boolean;
  /** The reason for the last failure, unless fields of the form show all of it. */
  readonly problem: string | undefined;
  /** `done` says what was done. */
  readonly send: (change: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

export interface Form<Values extends object> extends FormState, Part<Values> {
  readonly layout: FormState['layout'];
  readonly problems: FormState['problems'];
}

/**
 * The values of a form by the names of its fields. A number is null if its field is empty, and NaN if the field has
 * other text. `parts` are the names whose values have fields of their own, as `partOf` and `itemOf` give them.
 */
export function useForm<Values extends object>(
  initial: Values | (() => Values),
  layout: FormState['layout'] = 'stacked',
  parts: readonly (keyof Values & string)[] = [],
): Form<Values> {
  const [values, setValues] = useState(initial);
  const { isBusy, fields, problem, run } = useAction();
  const isShown = fields.size > 0 && [...fields.keys()].every((path) => isFieldOf(values, parts, path));
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

/** True if a field shows a problem with this path. */
function isFieldOf<Values extends object>(values: Values, parts: readonly (keyof Values & string)[], path: string) {
  const isBelow = (name: string) => path === name || path.startsWith(`${name}.`);
  return path in values || parts.some((name) => isBelow(name) || path in (values[name] as object));
}

/** The values below a name, as a part. Its problems are those with the name in their path. */
export function partOf<Values extends object, Name extends keyof Values & string>(
  form: Part<Values>,
  name: Name,
): Part<Values[Name] & object> {
  const values = form.values[name] as Values[Name] & object;
  return {
    layout: form.layout,
    values,
    set: (part) => form.set({ [name]: { ...values, ...part } } as unknown as Partial<Values>),
    problems: problemsBelow(form.problems, name),
  };
}

type ItemOf<List> = List extends readonly (infer Item extends object)[] ? Item : never;

/** One item of the list below a name, as a part. */
export function itemOf<Values extends object, Name extends keyof Values & string>(
  form: Part<Values>,
  name: Name,
  at: number,
): Part<ItemOf<Values[Name]>> {
  const items = form.values[name] as readonly ItemOf<Values[Name]>[];
  return {
    layout: form.layout,
    values: items[at] as ItemOf<Values[Name]>,
    set: (part) =>
      form.set({
        [name]: items.map((item, index) => (index === at ? { ...item, ...part } : item)),
      } as unknown as Partial<Values>),
    problems: problemsBelow(form.problems, `${name}.${at}`),
  };
}

/** The problem of the name itself has an empty name here. */
function problemsBelow(problems: ReadonlyMap<string, string>, name: string): ReadonlyMap<string, string> {
  const below = [...problems].filter(([path]) => path === name || path.startsWith(`${name}.`));
  return new Map(below.map(([path, message]) => [path.slice(name.length + 1), message]));
}

/** Adds the last names of paths, for values whose shape the server has in the path: `credential.bearer.secret`. */
export function byLastName<Values extends object>(form: Part<Values>): Part<Values> {
  const last = [...form.problems].map(([path, message]) => [path.split('.').at(-1) ?? '', message] as const);
  return { ...form, problems: new Map([...last, ...form.problems]) };
}

/** Values that are kept elsewhere, as a part. */
export function partFrom<Values extends object>(values: Values, onChange: (values: Values) => void): Part<Values> {
  return { layout: 'stacked', values, set: (part) => onChange({ ...values, ...part }), problems: NONE };
}

const NONE: ReadonlyMap<string, string> = new Map();
