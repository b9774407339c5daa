import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskSecrets } from './mask.ts';

const masked = (value: string) =>
  JSON.parse(maskSecrets(JSON.stringify({ job_variables: { value } }))).job_variables.value;

test('an address with a password is masked, and other addresses are not', () => {
  for (const value of ['postgres://user:word@host/db', 'redis://:word@host', 'x://a:b:c@d', 'at http://u:p@h']) {
    assert.equal(masked(value), '********', value);
  }
  for (const value of ['https://host:443/a', 'https://user@host', 'x://a:@b', 'http://host/a:b@c']) {
    assert.equal(masked(value), value);
  }
});

test('no text is slow', () => {
  const began = performance.now();
  for (const part of [':', 'a:', '://', '://a:', '{{']) masked(`://${part.repeat(100_000)}`);
  assert.ok(performance.now() - began < 1000, `${performance.now() - began} ms`);
});
