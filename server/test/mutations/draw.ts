/** Draws changes: the same sources and seed give the same ones, and a larger count only adds more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from '../support/random.ts';
import { KINDS, type Kind, type Target, targetsOf } from './kinds.ts';
import { applied, type OperatorName, operators } from './operators.ts';
import { type Edit, parse, placesIn } from './syntax.ts';

export interface Mutant {
  /** Counts through the kinds in turn. */
  readonly number: number;
  readonly kind: Kind;
  readonly operator: OperatorName;
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  /** The changed line, as in `a [-before-]{+after+} b`. */
  readonly difference: string;
  readonly source: string;
  readonly mutated: string;
}

/** Draws `count` changes of `among` in the checkout at `root`, as many of each kind. */
export function drawMutants(root: string, seed: number, count: number, among: readonly Kind[] = KINDS): Mutant[] {
  const each = among.map((kind) => drawKind(root, kind, seed));
  const drawn: Mutant[] = [];
  for (let turn = 0; drawn.length < count; turn += 1) {
    const next = each[turn % each.length]!.next();
    if (next.done) break;
    drawn.push(next.value);
  }
  return drawn;
}

/** File after file, so that a large one does not stand for its kind; then an operator, then a place for it. */
function* drawKind(root: string, kind: Kind, seed: number): Generator<Mutant> {
  const random = randomNumbers(seed * KINDS.length + KINDS.indexOf(kind));
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const targets = targetsOf(kind, root);
  const taken = new Set<string>();
  for (let left = shuffled(targets, random), index = 0; left.length > 0; left = shuffled(left, random)) {
    const useful: Target[] = [];
    for (const target of left) {
      const source = readFileSync(join(root, target.file), 'utf8');
      const free = editsIn(source, target.operators).filter(({ edit }) => !taken.has(keyOf(target, edit)));
      const operator = pick([...new Set(free.map((one) => one.operator))]);
      const chosen = pick(free.filter((one) => one.operator === operator));
      if (!operator || !chosen) continue;
      taken.add(keyOf(target, chosen.edit));
      useful.push(target);
      const mutated = applied(source, chosen.edit);
      if (!isParsed(mutated)) continue;
      yield {
        number: index * KINDS.length + KINDS.indexOf(kind) + 1,
        kind,
        operator,
        file: target.file,
        line: source.slice(0, chosen.edit.start).split('\n').length,
        difference: differenceOf(source, chosen.edit),
        source,
        mutated,
      };
      index += 1;
    }
    left = useful;
  }
}

/** Every change that the operators can make in a source, in the order of the text. */
export function editsIn(source: string, names: readonly OperatorName[]): { operator: OperatorName; edit: Edit }[] {
  return [...placesIn(source)].flatMap((place) =>
    names.flatMap((operator) => operators[operator](source, place).map((edit) => ({ operator, edit }))),
  );
}

const MOST_SHOWN = 90;

export function differenceOf(source: string, { start, end, text }: Edit): string {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = source.indexOf('\n', end);
  const before = source.slice(Math.max(lineStart, start - MOST_SHOWN), start);
  const after = source.slice(end, Math.min(lineEnd === -1 ? source.length : lineEnd, end + MOST_SHOWN));
  const [removed, added] = [shortened(source.slice(start, end)), shortened(text)];
  return `${before}${removed && `[-${removed}-]`}${added && `{+${added}+}`}${after}`.replace(/\s+/g, ' ').trim();
}

function shortened(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

function keyOf({ file }: Target, { start, end, text }: Edit): string {
  return `${file} ${start} ${end} ${text}`;
}

function isParsed(source: string): boolean {
  try {
    parse(source);
    return true;
  } catch {
    return false;
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
