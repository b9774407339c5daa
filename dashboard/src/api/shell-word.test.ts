import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { quoted } from './shell-word.ts';

test('a plain word stands as it is', () => {
  for (const word of ['nightly', '/work_pools/big-1', 'a.b:c=d@e', 'http://127.0.0.1:4200/api']) {
    assert.equal(quoted(word), word);
  }
});

test('a shell reads every text as one word, and runs nothing of it', { skip: process.platform === 'win32' }, () => {
  const texts = [
    '',
    ' ',
    "it's",
    "''",
    '$(id)',
    '`id`',
    '; rm -rf /',
    '"a" & b',
    'a\nb',
    '*',
    '~',
    '#x',
    '\\',
    'é 🚀',
    '!!',
    '-n',
  ];
  for (const text of texts) {
    const { stdout } = spawnSync('/bin/sh', ['-c', `printf '[%s]' ${quoted(text)}`], { encoding: 'utf8' });
    assert.equal(stdout, `[${text}]`);
  }
});
