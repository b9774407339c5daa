/** Puts the logs of two runs side by side: lines that say the same stand in one row. */

interface Log {
  readonly level: number;
  readonly message: string;
}

export interface AlignedRow<L extends Log> {
  readonly a: L | undefined;
  readonly b: L | undefined;
  /**
   * `changed` lines differ in their figures only. `apart` lines have no line of the other run beside them that says the
   * same; for each, `elsewhere` tells whether the other run has one in another place.
   */
  readonly kind: 'equal' | 'changed' | 'apart';
  readonly elsewhere: { readonly a: boolean; readonly b: boolean };
}

const ID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?/g;
/** The mark that clients add to the name of a task run, and an address in memory. */
const MARK = /(?<=[a-z0-9_]-)[0-9a-f]{1,8}\b|\b0x[0-9a-f]+\b/gi;
const FIGURE = /\d+(?:[.,]\d+)*/g;

/** The message without what differs in every run: ids, times, and `names`, those of the run itself. */
function textOf({ message }: Log, names: readonly string[]): string {
  let text = message;
  for (const name of names) if (name !== '') text = text.replaceAll(name, '…');
  return text.replaceAll(ID, '…').replaceAll(TIME, '…').replaceAll(MARK, '…');
}

interface Side<L extends Log> {
  readonly logs: readonly L[];
  /** Names that belong to this run alone. */
  readonly names: readonly string[];
}

interface Line<L extends Log> {
  readonly log: L;
  readonly text: string;
  /** Equal for lines that differ in their figures only. */
  readonly shape: string;
}

function linesOf<L extends Log>({ logs, names }: Side<L>): Line<L>[] {
  return logs.map((log) => {
    const text = textOf(log, names);
    return { log, text, shape: `${log.level} ${text.replaceAll(FIGURE, '#')}` };
  });
}

/** Takes time in proportion to the product of both lengths. */
export function alignedLogs<L extends Log>(sideA: Side<L>, sideB: Side<L>): AlignedRow<L>[] {
  const [a, b] = [linesOf(sideA), linesOf(sideB)];
  const pairs: (readonly [Line<L> | undefined, Line<L> | undefined, AlignedRow<L>['kind']])[] = [];
  let [doneA, doneB] = [0, 0];
  for (const [endA, endB] of [...commonPairs(a, b), [a.length, b.length] as const]) {
    for (; doneA < endA || doneB < endB; doneA += 1, doneB += 1) {
      pairs.push([doneA < endA ? a[doneA] : undefined, doneB < endB ? b[doneB] : undefined, 'apart']);
    }
    const [one, other] = [a[endA], b[endB]];
    if (one && other) pairs.push([one, other, one.text === other.text ? 'equal' : 'changed']);
    [doneA, doneB] = [endA + 1, endB + 1];
  }
  const apart = pairs.filter(([, , kind]) => kind === 'apart');
  const isElsewhere = movedLines(
    apart.flatMap(([one]) => one ?? []),
    apart.flatMap(([, other]) => other ?? []),
  );
  return pairs.map(([one, other, kind]) => ({
    a: one?.log,
    b: other?.log,
    kind,
    elsewhere: { a: one !== undefined && isElsewhere.has(one), b: other !== undefined && isElsewhere.has(other) },
  }));
}

/** Lines of each side that the other has too. Tasks that run at once log in another order each time. */
function movedLines<L extends Log>(a: readonly Line<L>[], b: readonly Line<L>[]): ReadonlySet<Line<L>> {
  const ofA = Map.groupBy(a, ({ text }) => text);
  const moved = [...Map.groupBy(b, ({ text }) => text)].flatMap(([text, others]) => {
    const same = ofA.get(text) ?? [];
    const count = Math.min(same.length, others.length);
    return [...same.slice(0, count), ...others.slice(0, count)];
  });
  return new Set(moved);
}

interface Shaped {
  readonly shape: string;
}

/** The longest sequence of equal shapes in both, as pairs of their indexes. */
function commonPairs(a: readonly Shaped[], b: readonly Shaped[]): [number, number][] {
  const width = b.length + 1;
  // `lengths[i * width + j]` is the length of the longest sequence in `a` from `i` on and `b` from `j` on.
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i]?.shape === b[j]?.shape
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i]?.shape === b[j]?.shape) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)) i += 1;
    else j += 1;
  }
  return pairs;
}
