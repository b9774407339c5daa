import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWithin, timedTest } from '../../test/support/timed.ts';
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

const NEVER_ENDING = [':', 'a:', '://', '://a:', '{{'];

test('a text that never becomes an address with a password is not masked', () => {
  for (const part of NEVER_ENDING) assert.equal(masked(`://${part.repeat(1000)}`), `://${part.repeat(1000)}`);
});

timedTest('no text is slow', () =>
  assertWithin(1, () => {
    for (const part of NEVER_ENDING) masked(`://${part.repeat(100_000)}`);
  }),
);
