/** An export that no other file imports is dropped, so that the exports of a file are what others rely on. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const repository = join(import.meta.dirname, '../../..');
const sources = join(repository, 'server/src');

interface Exported {
  readonly file: string;
  readonly name: string;
}

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const NAMES = /^(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']+)'/gm;
/** These take every export of a file: a namespace, an import at run time, a list that is passed on. */
const WHOLE = /(?:^import (?:type )?\* as \w+ from|^export \* (?:as \w+ )?from|\bimport\() ?'(\.[^']+)'/gm;

function exportsOf(file: string, text: string): Exported[] {
  return [...text.matchAll(EXPORT)].map(([, name = '']) => ({ file, name }));
}

/** `file name` for each imported name, and `file *` for files that are imported as a whole. */
function usesOf(file: string, text: string): string[] {
  const at = (path: string) => resolve(dirname(file), path);
  const named = [...text.matchAll(NAMES)].flatMap(([, names = '', path = '']) =>
    names.split(',').map(
      (name) =>
        `${at(path)} ${
          name
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0]
        }`,
    ),
  );
  return [...named, ...[...text.matchAll(WHOLE)].map(([, path = '']) => `${at(path)} *`)];
}

test('every export of the server is imported somewhere', () => {
  const files = globSync('{server,bench,scripts,dashboard}/**/*.{ts,tsx,mjs,js}', {
    cwd: repository,
    exclude: (path) => /node_modules|(^|\/)dist(\/|$)/.test(String(path)),
  }).map((file) => join(repository, file));
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const used = new Set([...texts].flatMap(([file, text]) => usesOf(file, text)));
  const unused = [...texts]
    .filter(([file]) => file.startsWith(sources) && !file.endsWith('.test.ts'))
    .flatMap(([file, text]) => exportsOf(file, text))
    .filter(({ file, name }) => !used.has(`${file} ${name}`) && !used.has(`${file} *`));
  assert.deepEqual(
    unused.map(({ file, name }) => `${file.slice(sources.length + 1)}: ${name}`),
    [],
  );
});

test('an export that nobody imports is found', () => {
  const given = 'export const one = 1;\nexport interface Two {}\nexport async function three() {}\n';
  assert.deepEqual(
    exportsOf('/a.ts', given).map(({ name }) => name),
    ['one', 'Two', 'three'],
  );
  const uses = usesOf('/b/c.ts', "import { one, type Two as Other } from '../a.ts';\nimport * as d from './d.ts';\n");
  assert.deepEqual(uses, ['/a.ts one', '/a.ts Two', '/b/d.ts *']);
});
