import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const sources = join(import.meta.dirname, '../../src');

test('only code above the workspaces declares statements without a workspace', () => {
  const declaring = globSync('**/*.ts', { cwd: sources }).filter((file) =>
    /platform(Statement|Query)\b/.test(readFileSync(join(sources, file), 'utf8')),
  );
  assert.ok(declaring.length > 5);
  assert.deepEqual(
    declaring.filter((file) => !/^(identity|rates|platform|mcp|database)\//.test(file)),
    [],
  );
});
