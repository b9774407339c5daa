import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeAddress } from './safe-address.ts';

test('a link may lead to the web and to mail', () => {
  assert.equal(safeAddress('https://example.org/a?b#c'), 'https://example.org/a?b#c');
  assert.equal(safeAddress('HTTP://example.org'), 'http://example.org/');
  assert.equal(safeAddress('mailto:ada@example.org'), 'mailto:ada@example.org');
});

test('a link leads nowhere else', () => {
  const addresses = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    '//example.org',
    '/runs',
    'runs',
    '',
    undefined,
  ];
  for (const address of addresses) assert.equal(safeAddress(address), undefined, String(address));
});
