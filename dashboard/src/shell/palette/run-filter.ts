/** Typed filters of the list of runs: `state:failed flow:etl -tag:prod since:2d`, and phrases such as `failed runs`. */
import { stateKinds, titleOf } from '../../design/states.ts';
import type { Target } from './target.ts';

/** The fields in the address of the list, with the words that name them. */
const fields: Readonly<Record<string, string>> = {
  state: 'state',
  flow: 'flow',
  deployment: 'deployment',
  work_pool: 'work_pool',
  pool: 'work_pool',
  work_queue: 'work_queue',
  queue: 'work_queue',
  tag: 'tag',
  tries: 'tries',
  duration: 'duration',
  parameter: 'parameter',
  cause: 'cause',
  name: 'name',
  since: 'span',
};
/** Words between filters that ask nothing. */
const NOISE = /^(flow|task)?-?(runs?|flows?)$/i;
/** A word, or a field with its value; quotes hold a value with spaces together. */
const PART = /-?[a-z_]+:(?:"[^"]*"?|\S*)|\S+/gi;

interface Condition {
  readonly field: string;
  readonly value: string;
  readonly isNot: boolean;
}

/** The lists of runs that the text asks for: one, or one for each state whose name it begins. */
export function runsWith(text: string): Target[] {
  const parts = text.match(PART) ?? [];
  const conditions: Condition[] = [];
  const states: Condition[] = [];
  for (const part of parts) {
    const condition = conditionOf(part);
    if (condition === undefined) return [];
    if (condition === 'nothing') continue;
    (condition.field === 'state' ? states : conditions).push(condition);
  }
  if (states.length === 0) return conditions.length > 0 ? [target(conditions)] : [];
  const [first, ...others] = states as [Condition, ...Condition[]];
  if (others.length > 0) return [target([...states.map(onlyState), ...conditions])];
  return stateKinds
    .filter((kind) => beginsState(first.value, titleOf(kind)))
    .map((kind) => target([{ ...first, value: kind }, ...conditions]));
}

/** Undefined if the part is of no filter, so that the text is something else. */
function conditionOf(part: string): Condition | 'nothing' | undefined {
  const [, not, name = '', given = ''] = /^(-?)([a-z_]+):(.*)$/i.exec(part) ?? [];
  const field = fields[name.toLowerCase()];
  if (field !== undefined) {
    const value = given.replaceAll('"', '').trim();
    return value === '' ? 'nothing' : { field, value, isNot: not === '-' };
  }
  if (NOISE.test(part)) return 'nothing';
  const isState = part.length > 2 && stateKinds.some((kind) => titleOf(kind).toLowerCase() === part.toLowerCase());
  if (isState) return { field: 'state', value: part, isNot: false };
  // The name of a field whose value is not typed yet.
  return part.toLowerCase() in fields ? 'nothing' : undefined;
}

function onlyState(condition: Condition): Condition {
  const kind = stateKinds.find((one) => beginsState(condition.value, titleOf(one)));
  return { ...condition, value: kind ?? condition.value };
}

function beginsState(value: string, title: string): boolean {
  return title.toLowerCase().startsWith(value.toLowerCase());
}

function target(conditions: readonly Condition[]): Target {
  const byField = Map.groupBy(conditions, ({ field }) => field);
  const search = new URLSearchParams(
    [...byField].map(([field, ofField]) => [
      field,
      ofField.map(({ value, isNot }) => `${isNot ? '!' : ''}${value}`).join(','),
    ]),
  );
  const path = `/runs?${search}`;
  return { key: path, kind: 'Filter', name: `Runs ${conditions.map(wordsOf).join(', ')}`, path, isNamed: true };
}

function wordsOf({ field, value, isNot }: Condition): string {
  const not = isNot ? 'not ' : '';
  const kind = stateKinds.find((one) => one === value);
  if (field === 'state') return `that are ${not}${kind ? titleOf(kind) : value}`;
  if (field === 'name') return `with ${value} in their names`;
  if (field === 'tag') return `${isNot ? 'without' : 'with'} the tag ${value}`;
  if (field === 'span') return `of the last ${value}`;
  return `whose ${field.replace('_', ' ')} is ${not}${value}`;
}
