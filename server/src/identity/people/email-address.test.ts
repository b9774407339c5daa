import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEmailAddress, normalEmail } from './email-address.ts';

test('addresses are compared in lower case, and no character beyond ASCII becomes ASCII', () => {
  assert.equal(normalEmail('Ada.Lovelace@Example.COM'), 'ada.lovelace@example.com');
  assert.equal(normalEmail('ÄDA@ÜBER.example'), 'äda@über.example');
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (code === 0xd800) code = 0xe000;
    const character = String.fromCodePoint(code);
    const normal = normalEmail(character);
    assert.doesNotMatch(normal, /[\0-\x7f]/, code.toString(16));
  }
});

test('an address has two parts and no invisible characters', () => {
  for (const text of ['ada@example.com', 'äda@über.example', "o'hara+x@example"]) assert.ok(isEmailAddress(text), text);
  const wrong = ['', 'ada', '@', 'ada@', '@example.com', 'a@b@c', 'a b@c', 'a\0@c', 'a@c\u0007', ' a@c', 'a@c\n'];
  for (const text of [...wrong, `${'a'.repeat(250)}@b.cd`]) assert.ok(!isEmailAddress(text), JSON.stringify(text));
});
