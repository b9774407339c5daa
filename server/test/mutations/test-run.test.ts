import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testsByNearness } from './nearness.ts';
import { runUntilFailure } from './test-run.ts';

/** A checkout with these files. */
function checkoutOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-checkout-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

const stays = 'setInterval(() => {}, 1000);';
const runs = [
  ['a run whose tests pass has passed', "console.log('✔ one (1ms)');", 20, 'passed'],
  [
    'a run ends at the first test that fails',
    `console.log('a.test.ts b.test.ts\\n  ✖ a door is shut (1.5ms)'); ${stays}`,
    20,
    'failed',
  ],
  ['a run that ends with an error has failed', 'process.exit(1);', 20, 'failed'],
  ['a run is ended at the time limit', stays, 0.1, 'late'],
] as const;

for (const [name, code, limitSeconds, expected] of runs) {
  test(name, async (t) => {
    const root = checkoutOf({ 'server/test/run.ts': code });
    t.after(() => rmSync(root, { recursive: true }));
    const options = { root, files: [], limitSeconds, postgresUrl: undefined, log: join(root, 'log') };
    const ending = await runUntilFailure(options);
    assert.equal(ending.kind, expected);
    if (!code.includes('door')) return;
    assert.deepEqual(ending, { kind: 'failed', test: 'a door is shut', process: ['a.test.ts', 'b.test.ts'] });
  });
}

test('tests beside a file come first, then those that import it or name it, then those far away', (t) => {
  const root = checkoutOf({
    'server/src/doors/lock.ts': 'export const lockDoor = 1;',
    'server/src/doors/lock.test.ts': "import './lock.ts';",
    'server/src/doors/open.test.ts': "import './lock.ts';",
    'server/src/house/far/away/roof/tiles.test.ts': '',
    'server/src/house/far/away/roof/named.test.ts': "test('lockDoor', () => {});",
    'server/src/house/key.ts': "import { lockDoor } from '../doors/lock.ts';",
    'server/test/conformance/house.test.ts': "import '../../src/house/key.ts';",
    'server/test/conformance/other.test.ts': '',
  });
  t.after(() => rmSync(root, { recursive: true }));
  assert.deepEqual(
    testsByNearness(root, 'server/src/doors/lock.ts', 'export const lockDoor = 1;').map((file) =>
      file.replace(/^.*\/|\.test\.ts$/g, ''),
    ),
    ['lock', 'open', 'house', 'named', 'tiles', 'other'],
  );
});
