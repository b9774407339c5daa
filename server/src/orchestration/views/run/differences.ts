/** The differences between the parameters of two runs, down to the values that differ. */
import { isJsonObject, jsonTextOf } from '../../../values/json.ts';

interface Difference {
  /** The path of the value: `region`, `load.limits`, `days[3]`. An array of single values is compared as a whole. */
  readonly name: string;
  /** JSON of the value, or the 500 characters of it where the two begin to differ; null if only the later run has it. */
  readonly before: string | null;
  readonly now: string | null;
}

const MOST_DIFFERENCES = 50;
const VALUE_LENGTH = 500;
/** Equal characters that an excerpt shows before the first that differs. */
const VALUE_CONTEXT = 60;
/** Values that are nested deeper are compared as texts. */
const DEEPEST = 20;

/** In the order of the paths, at most 50. An item that an array has lost or gained is a difference of its own. */
export function differencesOf(before: unknown, now: unknown): Difference[] {
  const found: Difference[] = [];
  compare({ name: '', before, now, depth: 0 }, found);
  return found;
}

interface Pair {
  readonly name: string;
  readonly before: unknown;
  readonly now: unknown;
  readonly depth: number;
}

function compare({ name, before, now, depth }: Pair, found: Difference[]): void {
  if (found.length >= MOST_DIFFERENCES) return;
  if (depth < DEEPEST && isJsonObject(before) && isJsonObject(now)) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()) {
      const path = name === '' ? key : `${name}.${key}`;
      compare({ name: path, before: before[key], now: now[key], depth: depth + 1 }, found);
    }
  } else if (depth < DEEPEST && Array.isArray(before) && Array.isArray(now)) {
    compareArrays({ name, before, now, depth }, found);
  } else {
    const [then, present] = [textOf(before), textOf(now)];
    if (then !== present) found.push({ name, ...excerpts(then, present) });
  }
}

interface ArrayPair extends Pair {
  readonly before: readonly unknown[];
  readonly now: readonly unknown[];
}

function compareArrays({ name, before, now, depth }: ArrayPair, found: Difference[]): void {
  if (![...before, ...now].every(isSingle)) {
    for (let index = 0; index < Math.max(before.length, now.length) && found.length < MOST_DIFFERENCES; index += 1) {
      const path = `${name}[${index}]`;
      compare({ name: path, before: before[index], now: now[index], depth: depth + 1 }, found);
    }
    return;
  }
  const [lost, gained] = [without(before, now), without(now, before)];
  if (lost.length + gained.length > 0) {
    const items = [
      ...lost.map((text) => ({ name, before: shortened(text), now: null })),
      ...gained.map((text) => ({ name, before: null, now: shortened(text) })),
    ];
    found.push(...items.slice(0, MOST_DIFFERENCES - found.length));
    return;
  }
  const [then, present] = [jsonTextOf(before), jsonTextOf(now)];
  // The items are the same in another order.
  if (then !== present) found.push({ name, ...excerpts(then, present) });
}

/** Texts of the items of `items` that `others` lacks, each as often as it lacks it. */
function without(items: readonly unknown[], others: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(jsonTextOf(other), (counts.get(jsonTextOf(other)) ?? 0) + 1);
  return items.map(jsonTextOf).filter((text) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}

function isSingle(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : jsonTextOf(value);
}

/** Both values from a little before the place where they begin to differ, if they are long. */
function excerpts(before: string | undefined, now: string | undefined): Pick<Difference, 'before' | 'now'> {
  if (before === undefined || now === undefined) return { before: shortened(before), now: shortened(now) };
  const longest = Math.max(before.length, now.length);
  let begin = 0;
  if (longest > VALUE_LENGTH) {
    const shortest = Math.min(before.length, now.length);
    let same = 0;
    while (same < shortest && before[same] === now[same]) same += 1;
    begin = Math.max(0, Math.min(same - VALUE_CONTEXT, longest - VALUE_LENGTH));
  }
  const from = (text: string) => `${begin > 0 ? '…' : ''}${shortened(text.slice(begin))}`;
  return { before: from(before), now: from(now) };
}

function shortened(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text;
}
