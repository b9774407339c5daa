import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { platformRoutes } from '../../src/app.ts';
import { errorCodes } from '../../src/error-codes.ts';
import * as errors from '../../src/errors.ts';

const sources = join(import.meta.dirname, '../../src');
const texts = globSync('**/*.ts', { cwd: sources })
  .filter((file) => !file.endsWith('.test.ts') && file !== 'error-codes.ts')
  .map((file) => readFileSync(join(sources, file), 'utf8'));

test('each code is used where an error is made', () => {
  const unused = Object.keys(errorCodes).filter((code) => !texts.some((text) => text.includes(`'${code}'`)));
  assert.deepEqual(unused, []);
});

test('each code of a conflict is named by a route, and each route names a code that something throws', () => {
  const named = new Set(platformRoutes.flatMap(({ conflicts = [] }) => conflicts));
  const thrown = texts.flatMap((text) =>
    [...text.matchAll(/new (?:NamedConflict|Conflict)\(\s*'([a-z_]+)'/g)].map(([, code = '']) => code),
  );
  assert.deepEqual(
    [...new Set(thrown)].filter((code) => !named.has(code as never)),
    [],
  );
  assert.deepEqual(
    [...named].filter((code) => code !== 'conflict' && !thrown.includes(code)),
    [],
  );
});

test('each kind of error has the status that the table says', () => {
  const { ApiError, NamedConflict, NamedRefusal, ValidationFailed } = errors;
  const made: errors.ApiError[] = [
    new NamedConflict('slug_taken', ''),
    new NamedRefusal('no_remote', '', ''),
    new ValidationFailed([]),
  ];
  for (const Kind of Object.values(errors) as (new (
    message: string,
  ) => errors.ApiError)[]) {
    const isKind = typeof Kind === 'function' && Kind.prototype instanceof ApiError;
    if (isKind && !made.some((error) => error.constructor === Kind)) made.push(new Kind('text'));
  }
  assert.ok(made.length > 15, `${made.length} kinds of errors`);
  const shown: Readonly<Record<string, { readonly status: number }>> = errorCodes;
  for (const { code, status } of made) assert.equal(shown[code]?.status ?? status, status, code);
});
