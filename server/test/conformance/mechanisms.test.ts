/**
 * Each question that many parts have is answered in one place: who hears of a change, what stays open, what is kept,
 * who waits, and what is counted over time. These tests list where each is used, and find what goes round them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { files, sources } from './imports.ts';

const texts = new Map(files.map((file) => [file, readFileSync(join(sources, file), 'utf8')]));
const limits = readFileSync(join(sources, '../../docs/limits.md'), 'utf8');

/** What `pattern` captures, with the file. */
function found(pattern: RegExp): { readonly file: string; readonly name: string }[] {
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(pattern)].map(([whole, name]) => ({ file, name: name ?? whole })),
  );
}

/** The first column of the table below the heading, split at commas. */
function linesOf(heading: string): string[] {
  const section = limits.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| ([a-z][^|]*?) *\|/gm)]
    .flatMap(([, names = '']) => names.split(', '))
    .filter((name) => name !== 'name');
}

const sorted = (values: Iterable<string>) => [...new Set(values)].sort();
const filesWith = (pattern: RegExp) => sorted(found(pattern).map(({ file }) => file));

describe('one mechanism for each question', () => {
  test('a change is heard of at the hub of the process', () => {
    assert.deepEqual(filesWith(/new Hub\(/g), ['process/process.ts', 'process/server.ts']);
    const topics = sorted(found(/^ {2}(\w+): Topic</gm).map(({ name }) => name));
    assert.ok(topics.length > 5, topics.join());
    for (const way of [/hub\.tell\(\s*'(\w+)'/g, /hub\.hear\(\s*'(\w+)'/g]) {
      assert.deepEqual(sorted(found(way).map(({ name }) => name)), topics);
    }
  });

  test('what stays open on an access is kept in one place', () => {
    assert.deepEqual(filesWith(/new OpenThings\(/g), ['process/process.ts']);
    assert.deepEqual(filesWith(/penThings\.keep\(/g), [
      'http/answer/event-streams.ts',
      'http/sockets/socket-session.ts',
      'mcp/credentials/personal-upstreams.ts',
      'mcp/gateway/return/streams.ts',
    ]);
  });

  test('what is kept is bounded, and each map has a name of its own', () => {
    const maps = found(/new BoundedMap(?:<[^(]*>)?\(\{\s*name(?:: '([^']+)')?/g);
    assert.ok(maps.length > 20, String(maps.length));
    assert.equal(maps.length, found(/new BoundedMap\b/g).length);
    const evicts = /\.size >=? ?[A-Z_]+\)\s*(?:\{\s*)?(?:this\.)?#?\w+\.(?:clear|delete)\(/g;
    assert.deepEqual(filesWith(evicts), []);
  });

  test('what is lent has a line in the table of limits, and each line is a gate', () => {
    const gates = found(/new Gate\(\{\s*name: '([^']+)'/g);
    assert.equal(gates.length, found(/new Gate\(/g).length);
    assert.deepEqual(sorted(gates.map(({ name }) => name)), sorted(linesOf('What is lent')));
  });

  test('what is counted over time has a line in the table of limits, and each line is a limit', () => {
    const rates = [...found(/name: '([^']+)', atOnce/g), ...found(/perMinute\('([^']+)'/g)];
    assert.deepEqual(sorted(rates.map(({ name }) => name)), sorted(linesOf('What is counted over time')));
    assert.deepEqual(filesWith(/(?:Into|From|Table)\('rate'/g), ['rates/attempts.ts', 'rates/queries.ts']);
  });
});
