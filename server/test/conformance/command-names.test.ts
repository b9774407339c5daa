/** Messages name commands that exist, in the form that `asCalled` writes as the installation at hand has it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCommands } from '../../src/command-line.ts';

const root = join(import.meta.dirname, '../../..');
const files = globSync('{server,dashboard}/src/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !/\.test\.tsx?$/.test(file),
);
const firstWords = [...new Set(allCommands.map(({ words }) => words.split(' ')[0]))].join('|');
/** A command in the text of a message; the program before it may be quoted. */
const NAMED = new RegExp(`(.)signalbox ((?:${firstWords}|--help)\\b(?: [a-z-]+)?)`, 'g');

interface Place {
  readonly file: string;
  readonly before: string;
  readonly words: string;
  readonly line: string;
}

function places(): Place[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
      .flatMap((line) =>
        [...line.matchAll(NAMED)].map(([, before = '', words = '']) => ({ file, before, words, line: line.trim() })),
      ),
  );
}

test('every command that a message names exists', () => {
  const found = places();
  assert.ok(found.length >= 12, `${found.length} are too few: the search is wrong`);
  const known = (words: string) =>
    words === '--help' || allCommands.some((one) => one.words === words || words.startsWith(`${one.words} `));
  assert.deepEqual(
    found.filter(({ words }) => !known(words)).map(({ file, line }) => `${file}: ${line}`),
    [],
  );
});

test('every message puts its commands in quotes, so that they are written as they are called here', () => {
  // A script of a shell needs the name that it completes, and a client calls the program of its own machine.
  const otherwise = /completion --shell|`signalbox api\$|`signalbox config` lists the settings of this server/;
  assert.deepEqual(
    places()
      .filter(({ before, line }) => before !== '"' && !otherwise.test(line))
      .map(({ file, line }) => `${file}: ${line}`),
    [],
  );
});

test('no message takes one installation for granted', () => {
  // The build is missing in a clone only, and an old Node cannot load more than the first file.
  const known = [
    'server/src/invocation.ts',
    'server/src/http/documents/help.ts',
    'server/src/http/documents/dashboard.ts',
    'server/src/commands/npm-flags.ts',
  ];
  const wrong = files
    .filter((file) => !known.includes(file))
    .filter((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .some((line) => /npm run -s signalbox|npm start|npx signalbox/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line)),
    );
  assert.deepEqual(wrong, []);
});
