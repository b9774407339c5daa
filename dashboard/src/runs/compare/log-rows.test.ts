import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownRows } from './log-rows.ts';

const rows = [...'======x===='].map((sign, index) => ({
  index,
  kind: sign === '=' ? ('equal' as const) : ('apart' as const),
}));
const shown = (isEqualShown: boolean) =>
  shownRows(rows, isEqualShown).map((one) => ('folded' in one ? `${one.folded} folded` : one.row.index));

test('equal rows fold, except beside one that differs', () => {
  assert.deepEqual(shown(false), ['4 folded', 4, 5, 6, 7, 8, '2 folded']);
});

test('all rows are shown when a person asks for the equal ones too', () => {
  assert.deepEqual(
    shown(true),
    rows.map(({ index }) => index),
  );
});

test('logs that do not differ are one fold, and empty ones are nothing', () => {
  assert.deepEqual(shownRows([{ kind: 'equal' }, { kind: 'equal' }], false), [{ folded: 2 }]);
  assert.deepEqual(shownRows([], false), []);
});
