import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const repository = new URL('../../../', import.meta.url);
const COLOUR = /--([a-z-]+): (#[0-9a-f]{6});/g;

/** Each token with its values in the order of the file: light, then dark. */
function coloursIn(file: string): Map<string, string[]> {
  const text = readFileSync(new URL(file, repository), 'utf8');
  const found = [...text.matchAll(COLOUR)].map(([, name = '', value = '']) => ({ name, value }));
  const grouped = Map.groupBy(found, ({ name }) => name);
  return new Map([...grouped].map(([name, values]) => [name, values.map(({ value }) => value)]));
}

test('the pages of sign-in have the colours of the dashboard', () => {
  const dashboard = coloursIn('dashboard/src/design/tokens.css');
  const shared = [...coloursIn('server/src/pages/frame.ts')].filter(([name]) => dashboard.has(name));
  assert.ok(shared.length >= 9, `${shared.length} colours`);
  for (const [name, values] of shared) assert.deepEqual(values, dashboard.get(name), `--${name}`);
});
