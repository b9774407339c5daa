/** The rows of compared logs as they are shown: equal ones fold, except beside a row that differs. */
import type { AlignedRow } from './aligned-logs.ts';

export type ShownRow<Row> = { readonly row: Row } | { readonly folded: number };

/** Equal rows that are shown before and after a row that differs. */
const CONTEXT = 2;

export function shownRows<Row extends Pick<AlignedRow<never>, 'kind'>>(
  rows: readonly Row[],
  isEqualShown: boolean,
): ShownRow<Row>[] {
  if (isEqualShown) return rows.map((row) => ({ row }));
  const isNear = new Uint8Array(rows.length);
  for (const [index, { kind }] of rows.entries()) {
    if (kind !== 'equal') isNear.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  }
  const shown: ShownRow<Row>[] = [];
  let folded = 0;
  const endFold = () => {
    if (folded > 0) shown.push({ folded });
    folded = 0;
  };
  for (const [index, row] of rows.entries()) {
    if (isNear[index] === 1) {
      endFold();
      shown.push({ row });
    } else folded += 1;
  }
  endFold();
  return shown;
}
