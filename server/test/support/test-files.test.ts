import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { groupsOf } from './test-groups.ts';
import { until } from './until.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-test-files-'));
});
after(() => rm(folder, { recursive: true }));

async function fileWith(name: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, `${name}.test.ts`);
  await writeFile(
    file,
    [`import assert from 'node:assert/strict';`, `import { test } from 'node:test';`, ...lines].join('\n'),
  );
  return file;
}

/** A process that runs the files together as a suite does, since it would take the signals of this one. */
function suiteOf(files: readonly string[]) {
  const program = `
    import { countsLine } from ${JSON.stringify(join(import.meta.dirname, 'counts.ts'))};
    import { runTestFiles } from ${JSON.stringify(join(import.meta.dirname, 'test-files.ts'))};
    const options = { atOnce: 1, together: true, secondTry: true };
    console.log(countsLine(await runTestFiles(${JSON.stringify(files)}, options)));`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Node's test runner would take the process for one of its own.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  const suite = { output: '', child, ended: new Promise((resolve) => child.once('close', resolve)) };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    suite.output += piece;
  });
  return suite;
}

async function outputOf(files: readonly string[]): Promise<string> {
  const suite = suiteOf(files);
  await suite.ended;
  return suite.output;
}

const closing = (output: string) => output.trimEnd().split('\n').at(-1);

test('files share a process, and each of their tests counts', async () => {
  const one = await fileWith('one', [
    `test('a', () => assert.equal(globalThis.was ??= 'one', 'one'));`,
    `test.skip('b');`,
  ]);
  const other = await fileWith('other', [`test('c', () => assert.equal(globalThis.was, 'one'));`]);
  assert.equal(closing(await outputOf([one, other])), '2 passed, 0 failed, 1 skipped');
});

test('a file that asks for it has a process of its own', async () => {
  const shared = await fileWith('shared', ['']);
  const neighbour = await fileWith('neighbour', ['']);
  const alone = await fileWith('alone', ['// Runs in a process of its own: it changes the environment.']);
  assert.deepEqual(
    groupsOf([shared, alone, neighbour])
      .map((group) => group.toSorted())
      .toSorted(),
    [[alone], [neighbour, shared]],
  );
});

test('a test that fails twice has failed, and one that fails once is named', async () => {
  const marker = join(folder, 'was-here');
  const failing = await fileWith('failing', [`test('never right', () => assert.fail());`, `test('right', () => {});`]);
  const late = await fileWith('late', [
    `import { existsSync, writeFileSync } from 'node:fs';`,
    `test('right at last', () => { if (!existsSync('${marker}')) { writeFileSync('${marker}', ''); assert.fail(); } });`,
  ]);
  const output = await outputOf([failing, late]);
  assert.match(output, /^Passed in its second try: right at last \(.*late\.test\.ts\)$/m);
  assert.doesNotMatch(output, /second try: never right/);
  assert.equal(closing(output), '2 passed, 1 failed, 0 skipped');
});

test('a process that ends early is a failure of each of its files', async () => {
  const leaving = await fileWith('leaving', [`test('leaves', () => process.exit(0));`]);
  assert.equal(closing(await outputOf([leaving])), '0 passed, 1 failed, 0 skipped');
  const throwing = await fileWith('throwing', [
    `test('throws later', () => void setImmediate(() => { throw new Error(); }));`,
  ]);
  assert.match(closing(await outputOf([throwing])) ?? '', /, [1-9]\d* failed, 0 skipped$/);
});

test('a suite that is told to end prints what has passed', async () => {
  const begun = join(folder, 'begun');
  const quick = await fileWith('quick', [...Array(2000).fill('// long'), `test('passes', () => {});`]);
  const endless = await fileWith('endless', [
    `import { writeFileSync } from 'node:fs';`,
    `test('hangs', () => { writeFileSync('${begun}', ''); return new Promise((resolve) => setTimeout(resolve, 1e8)); });`,
  ]);
  const suite = suiteOf([quick, endless]);
  const { existsSync } = await import('node:fs');
  await until('the second file has begun', () => existsSync(begun), 60);
  suite.child.kill('SIGTERM');
  await suite.ended;
  assert.equal(closing(suite.output), '1 passed, 1 failed, 0 skipped');
});
