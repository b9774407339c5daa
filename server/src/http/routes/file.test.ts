import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounded } from './file.ts';

async function* linesOf(...lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const line of lines) text += line;
  return text;
}

/** A clock that goes on by `step` milliseconds each time it is read. */
function clock(step: number): () => number {
  let time = 0;
  return () => {
    time += step;
    return time;
  };
}

const still = { seconds: 10, elapsed: clock(0) };

test('a file that has all lines ends without a word about its end', async () => {
  assert.equal(
    await textOf(bounded('csv', linesOf('name\r\n', 'a\r\n', 'b\r\n'), { lines: 2, ...still })),
    'name\r\na\r\nb\r\n',
  );
  assert.equal(await textOf(bounded('ndjson', linesOf('1\n', '2\n'), { lines: 2, ...still })), '1\n2\n');
});

test('a longer list ends after the most lines, and the last line says so', async () => {
  const csv = await textOf(bounded('csv', linesOf('name\r\n', 'a\r\n', 'b\r\n', 'c\r\n'), { lines: 2, ...still }));
  assert.equal(
    csv,
    'name\r\na\r\nb\r\nThe list goes on. The file ends here after 2 lines: narrow the list to export the rest.\r\n',
  );
  const [first, last] = (await textOf(bounded('ndjson', linesOf('1\n', '2\n'), { lines: 1, ...still }))).split('\n');
  assert.equal(first, '1');
  assert.match(JSON.parse(last ?? '').truncated, /after 1 line:/);
});

test('a list that takes too long ends after its time, and the last line says so', async () => {
  const endless = async function* () {
    for (;;) yield '1\n';
  };
  const text = await textOf(bounded('ndjson', endless(), { lines: 1000, seconds: 5, elapsed: clock(1000) }));
  assert.equal(text.split('\n').filter((line) => line === '1').length, 4);
  assert.match(text, /after 5 seconds:/);
});
