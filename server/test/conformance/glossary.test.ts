/** The words of the interface: the dashboard and the help of the commands call one thing by one word. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../../..');

interface Entry {
  readonly word: string;
  readonly not: readonly string[];
}

/** The table in `docs/writing.md`. */
const entries: readonly Entry[] = readFileSync(join(root, 'docs/writing.md'), 'utf8')
  .split('## The words of the interface')[1]!
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => {
    const [word = '', , not = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { word, not: not.split(', ') };
  });

/** Texts in quotes, between tags, and on lines of their own between tags. Comments are not texts. */
const TEXTS = /(?<=['"`>])([A-Z][^'"`<>\n]*)|^\s+([A-Z][a-z][^'"`<>=;(){}\n]*)$/gm;

function textsOf(pattern: string): { readonly file: string; readonly text: string }[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !/\.(test|gen)\.tsx?$/.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return [...source.matchAll(TEXTS)].map(([found]) => ({ file, text: found.trim() }));
    });
}

const interfaceTexts = textsOf('dashboard/src/**/*.{ts,tsx}');
const begins = (text: string, words: string) =>
  text === words || (/^[^\w]/.test(text.slice(words.length)) && text.startsWith(words));

test('the glossary has some thirty words, each of them in use', () => {
  assert.ok(entries.length >= 28 && entries.length <= 36, String(entries.length));
  const unused = entries.filter(({ word }) => !interfaceTexts.some(({ text }) => isNamed(text, word)));
  assert.deepEqual(
    unused.map(({ word }) => word),
    [],
  );
});

/** `Change state` is also the name of "Change the state…". */
function isNamed(text: string, word: string): boolean {
  return begins(text, word) || begins(text.replace(/ the /, ' '), word);
}

test('no text begins with another word for one of the glossary', () => {
  const wrong = [...interfaceTexts, ...textsOf('server/src/commands/**/*.ts')].flatMap(({ file, text }) =>
    entries
      .flatMap(({ not }) => not)
      .filter((other) => begins(text, other) && !entries.some(({ word }) => isNamed(text, word)))
      .map((other) => `${file}: "${text}" begins with "${other}"`),
  );
  assert.deepEqual(wrong, []);
});
