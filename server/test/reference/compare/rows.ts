import type { RowOrder } from '../generate/step.ts';
import type { Side } from '../generate/symbols.ts';
import { isParsedObject, NumberText, type Parsed, printJson } from '../wire/json-text.ts';
import type { DifferenceKind } from './difference.ts';
import { CLOCK_NUMBERS, CLOCK_TIMES, OPEN_FIELDS, TEXT_SETS } from './fields.ts';
import { type Identities, isId } from './identities.ts';
import { EMBEDDED, microsecondsIn, type Times } from './times.ts';

export const UNORDERED: RowOrder = {};

export interface RowMatch {
  /** Rows that mean the same object, as far as their ids or their contents show. */
  readonly pairs: readonly (readonly [Parsed, Parsed])[];
  readonly problems: readonly { kind: DifferenceKind; reference: string; ours: string }[];
}

/** One row with the facts that the matching needs. */
interface Row {
  readonly value: Parsed;
  readonly index: number;
  readonly id: string | undefined;
  /** Rows of one group tie in the sort, so their order has no meaning. */
  readonly group: number;
  /** In a group that the limit or the offset cut: any of its rows may be here. */
  readonly atEdge: boolean;
}

/**
 * Pairs the rows of two lists: first by known ids, then by content. A row left over is a problem, except in a group
 * that the limit or the offset cut.
 */
export function matchRows(a: Parsed[], b: Parsed[], order: RowOrder, identities: Identities, times: Times): RowMatch {
  if (a.length !== b.length) {
    return { pairs: [], problems: [{ kind: 'length', reference: summary(a), ours: summary(b) }] };
  }
  const named = order.byName && [...a, ...b].some((row) => hasGeneratedName(row, identities));
  const usable = named ? { ...order, key: undefined } : order;
  const [rowsOfA, rowsOfB] = [readRows(a, usable), readRows(b, usable)];
  const taken = new Set<Row>();
  const pairs: [Row, Row][] = [];
  const pair = (one: Row, other: Row) => {
    pairs.push([one, other]);
    taken.add(one).add(other);
  };
  const byId = new Map(rowsOfB.map((row) => [row.id, row]));
  for (const row of rowsOfA) {
    const counterpart = row.id === undefined ? undefined : identities.counterpart(row.id);
    const other = counterpart === undefined ? undefined : byId.get(counterpart);
    if (other) pair(row, other);
  }
  const unknown = (side: Side) => (row: Row) =>
    !taken.has(row) && (row.id === undefined || identities.symbolOf(side, row.id) === undefined);
  const candidates = (rows: readonly Row[], side: Side) =>
    rows
      .filter(unknown(side))
      .sort((one, other) => (order.key ? one.group - other.group : 0) || byCreation(one, other))
      .map((row) => ({ row, content: contentOf(row.value, side, identities, times) }));
  const [newOfA, newOfB] = [candidates(rowsOfA, 'reference'), candidates(rowsOfB, 'ours')];
  pairByContent(newOfA, newOfB, pair);
  const problems: RowMatch['problems'][number][] = [];
  const left = [rowsOfA, rowsOfB].map((rows) => rows.filter((row) => !taken.has(row) && !row.atEdge)) as [Row[], Row[]];
  if (left[0].length > 0 || left[1].length > 0) {
    const [reference, ours] = left.map((rows) => `${rows.length} only here: ${summary(rows.map((row) => row.value))}`);
    problems.push({ kind: 'rows', reference: reference as string, ours: ours as string });
  } else if (usable.key && isReordered(pairs)) {
    const keys = (rows: readonly Row[]) => rows.map((row) => keyOf(row.value, usable)).join(', ');
    problems.push({ kind: 'order', reference: keys(rowsOfA), ours: keys(rowsOfB) });
  }
  return { pairs: pairs.map(([one, other]) => [one.value, other.value]), problems };
}

/** True when two rows have the opposite order in the other list, and tie in neither. */
function isReordered(pairs: readonly (readonly [Row, Row])[]): boolean {
  const sorted = pairs
    .filter(([one, other]) => !(one.atEdge && other.atEdge))
    .sort(([one], [other]) => one.group - other.group);
  let highest = -1;
  let highestInGroup = -1;
  for (const [index, [one, other]] of sorted.entries()) {
    if (one.group !== sorted[index - 1]?.[0].group) highest = Math.max(highest, highestInGroup);
    if (other.group < highest) return true;
    highestInGroup = Math.max(highestInGroup, other.group);
  }
  return false;
}

/** A row whose id is not known yet. */
interface Candidate {
  readonly row: Row;
  /** The content of the row, in words that are the same for both servers. */
  readonly content: string;
}

/** Pairs rows of equal content; then, when as many are left on both sides, those in the order of the lists. */
function pairByContent(a: Candidate[], b: Candidate[], pair: (one: Row, other: Row) => void): void {
  const rest = Map.groupBy(b, ({ content }) => content);
  const leftOfA: Row[] = [];
  for (const { row, content } of a) {
    const other = rest.get(content)?.shift();
    if (other) pair(row, other.row);
    else if (!row.atEdge) leftOfA.push(row);
  }
  const leftOfB = [...rest.values()]
    .flatMap((candidates) => candidates.map(({ row }) => row))
    .filter((row) => !row.atEdge);
  if (leftOfA.length !== leftOfB.length) return;
  const byIndex = (one: Row, other: Row) => one.index - other.index;
  leftOfB.sort(byIndex);
  for (const [index, row] of leftOfA.sort(byIndex).entries()) pair(row, leftOfB[index] as Row);
}

function readRows(values: readonly Parsed[], order: RowOrder): Row[] {
  const limit = order.limit ?? Number.POSITIVE_INFINITY;
  const cut = values.length >= limit;
  let group = 0;
  const groups = values.map((value, index) => {
    if (index > 0 && order.key && keyOf(value, order) !== keyOf(values[index - 1] as Parsed, order)) group += 1;
    return group;
  });
  return values.map((value, index) => ({
    value,
    index,
    id: idOf(value),
    group: groups[index] as number,
    // Generated names on the pages before move the rows of all later pages.
    atEdge:
      (cut && groups[index] === group) || (order.skipped === true && (order.byName === true || groups[index] === 0)),
  }));
}

function keyOf(row: Parsed, order: RowOrder): string {
  return order.key && isParsedObject(row) ? order.key(row) : '';
}

/** The id of a row: of an object, of a graph node (`[id, node]`), or of a list of ids. */
function idOf(row: Parsed): string | undefined {
  const id = isParsedObject(row) ? row.id : Array.isArray(row) ? row[0] : row;
  return typeof id === 'string' && isId(id) ? id : undefined;
}

/**
 * Orders rows of equal content by their creation time: both servers created them in the same order, and list them in
 * any order where they tie in the sort.
 */
function byCreation(one: Row, other: Row): number {
  const [first, second] = [createdAt(one), createdAt(other)];
  return first === second ? one.index - other.index : first < second ? -1 : 1;
}

function createdAt({ value }: Row): string {
  return isParsedObject(value) && typeof value.created === 'string' ? value.created : '';
}

/** Also the name of a limit that belongs to a deployment, which contains the deployment's id. */
function hasGeneratedName(row: Parsed, identities: Identities): boolean {
  if (!isParsedObject(row) || typeof row.name !== 'string') return false;
  return identities.isGeneratedName(row.name) || EMBEDDED.test(row.name);
}

/** Known ids become the reference's; values from a server's clock or generator become empty. */
function contentOf(row: Parsed, side: Side, identities: Identities, times: Times): string {
  return describe(row, '', false);

  function describe(part: Parsed, name: string, open: boolean): string {
    // By value: rows match although a number differs; the number itself is compared later.
    if (part instanceof NumberText) return !open && CLOCK_NUMBERS.has(name) ? '' : String(part.value);
    if (typeof part === 'string') return describeText(part, name);
    if (Array.isArray(part)) {
      const items = part.map((item) => describe(item, name, open));
      return `[${(!open && TEXT_SETS.has(name) ? items.sort() : items).join(',')}]`;
    }
    if (isParsedObject(part)) {
      const members = Object.keys(part)
        .sort()
        .map((member) => `${member}:${describe(part[member] as Parsed, member, open || OPEN_FIELDS.has(member))}`);
      return `{${members.join(',')}}`;
    }
    return String(part);
  }

  function describeText(text: string, name: string): string {
    if (identities.isGeneratedName(text)) return '~';
    return text
      .split(EMBEDDED)
      .map((piece) => {
        if (isId(piece)) return identities.symbolOf(side, piece) ?? '?';
        const instant = microsecondsIn(piece);
        if (instant === undefined) return piece;
        return times.isFixed(instant) && !CLOCK_TIMES.has(name) ? String(instant) : '@';
      })
      .join('');
  }
}

function summary(rows: readonly Parsed[]): string {
  const text = rows.map(printJson).join(', ');
  return `${rows.length} rows: ${text.length > 600 ? `${text.slice(0, 600)}…` : text}`;
}
