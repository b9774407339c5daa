import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashOfApiKey, newApiKey } from './api-keys.ts';

describe('API keys', () => {
  test('a key is sbx_, 43 characters of secret and 6 of checksum, and all keys differ', () => {
    const keys = Array.from({ length: 100 }, () => newApiKey());
    for (const { secret, hash } of keys) {
      assert.match(secret, /^sbx_[0-9A-Za-z]{49}$/);
      assert.equal(hashOfApiKey(secret), hash);
    }
    assert.equal(new Set(keys.map(({ secret }) => secret)).size, keys.length);
  });

  test('a damaged key is refused', () => {
    const { secret } = newApiKey();
    const wrong = [
      '',
      secret.slice(0, -1),
      secret + secret,
      ` ${secret}`,
      `${secret}\n`,
      secret.replace('sbx_', 'fmcp_'),
      secret.replace('sbx_', 'SBX_'),
      ...Array.from({ length: secret.length - 4 }, (_, place) => {
        const other = secret[place + 4] === 'x' ? 'y' : 'x';
        return `${secret.slice(0, place + 4)}${other}${secret.slice(place + 5)}`;
      }),
    ];
    for (const text of wrong) assert.equal(hashOfApiKey(text), undefined, text);
  });
});
