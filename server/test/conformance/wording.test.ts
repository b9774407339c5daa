/** Sentences for people: a count agrees with its noun, and phrases and fragments that readers stumbled over do not return. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { counted } from '../../src/values/counted.ts';

const root = join(import.meta.dirname, '../../..');

/** The lines of sources that are not comments, by file. */
function linesOf(pattern: string): { file: string; line: string }[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !/\.(test|gen)\.tsx?$/.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
        .map((line) => ({ file, line: line.trim() })),
    );
}

test('one thing is not many', () => {
  assert.deepEqual(
    [counted(1, 'secret'), counted(2, 'secret'), counted(0, 'secret')],
    ['1 secret', '2 secrets', '0 secrets'],
  );
  assert.equal(counted(2, 'process', 'processes'), '2 processes');
});

test('a count that may be one is written by `counted`', () => {
  const NOUNS =
    'secrets|keys|changes|connections|rows|files|days|hours|seconds|minutes|bytes|requests|servers|workspaces|items|builds|processes|slots|accounts|runs|events';
  const given = new RegExp(`\\$\\{([^{}]+)\\} (?:${NOUNS})\\b`, 'g');
  // A limit of the code is never one. `grouped` is a number that the reference's sentence has.
  const isLimit = (expression: string) => /^[A-Z][A-Z_]+\b/.test(expression) || expression.startsWith('grouped(');
  const known = [
    // What is no count, and numbers that are never one here.
    ...['verb', 'run_id', 'needed', 'active.length', 'maxBodyBytes', 'maxBytes', 'rows[table]', 'maxFiles'],
    // The form of Python's humanize, with its own words for one.
    ...['days', 'Math.floor(seconds'],
    // The import tells in its own words what stays in the source.
    ...['waiting', 'waitingRuns'],
  ];
  const wrong = linesOf('server/src/**/*.ts').flatMap(({ file, line }) =>
    [...line.matchAll(given)]
      .filter(([, expression = '']) => !isLimit(expression) && !known.some((one) => expression.startsWith(one)))
      .map(([text]) => `${file}: ${text}`),
  );
  assert.deepEqual(wrong, []);
});

test('no sentence has a phrase that readers stumbled over', () => {
  const STUMBLED =
    /See to (?:\$|[A-Z])|Requests of (?:you|\$)|(?:is|are) answered \d{3}|[`'" ][Ww]hoever |opens with the keys/;
  const wrong = ['server/src/**/*.ts', 'dashboard/src/**/*.{ts,tsx}']
    .flatMap(linesOf)
    .filter(({ line }) => STUMBLED.test(line))
    .map(({ file, line }) => `${file}: ${line}`);
  assert.deepEqual(wrong, []);
});

test('no comment begins with a fragment', () => {
  // The text of a block, and the first of the `//` lines that follow each other. `docs/writing.md` says what to write.
  const BEGIN = String.raw`(?:/\*\*?(?:\s*\n\s*\*)?|(?<!^[ \t]*//[^\n]*\n[ \t]*)(?<=^|\s)//)[ \t]+`;
  const FRAGMENT = String.raw`(?:Of|What|Where|Which|Who|Whoever|Whose|How|Whether|Why|Those|The same)\b[^\n]*`;
  const fragments = new RegExp(`${BEGIN}(${FRAGMENT})`, 'gm');
  const wrong = ['server/src/**/*.{ts,js}', 'dashboard/src/**/*.{ts,tsx}']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !/\.(test|gen)\.tsx?$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(fragments)].map(([, text]) => `${file}: ${text}`),
    );
  assert.deepEqual(wrong, []);
});
