import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findUv } from './interpreters.ts';

test('uv is used where it is a program, and not where a script chooses one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-tools-'));
  const before = process.env['PATH'];
  process.env['PATH'] = folder;
  try {
    assert.equal(findUv(), undefined);
    const file = join(folder, 'uv');
    await writeFile(file, '#!/bin/sh\nexec pyenv exec uv "$@"\n', { mode: 0o755 });
    assert.equal(findUv(), undefined);
    await rm(file);
    await copyFile(process.execPath, file);
    assert.deepEqual(findUv(), { command: [file], files: [file] });
  } finally {
    process.env['PATH'] = before;
    await rm(folder, { recursive: true, force: true });
  }
});
