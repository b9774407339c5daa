import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createEncryption, DecryptionFailed } from './encryption.ts';

const home = mkdtempSync(join(tmpdir(), 'signalbox-encryption-'));
const path = join(home, 'encryption.key');
after(() => rmSync(home, { recursive: true }));

describe('encryption of secrets', () => {
  test('the key file is created once, for its owner only, and read again', () => {
    const encrypted = createEncryption({ home, encryptionKey: '' }).encrypt('größe');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(createEncryption({ home, encryptionKey: '' }).decrypt(encrypted), 'größe');
    const encryptionKey = readFileSync(path, 'utf8').trim();
    assert.equal(createEncryption({ home: '/nowhere', encryptionKey }).decrypt(encrypted), 'größe');
  });

  test('the same text is never encrypted to the same text twice', () => {
    const { encrypt } = createEncryption({ home, encryptionKey: '' });
    assert.notEqual(encrypt('a'), encrypt('a'));
  });

  test('what an earlier version has written is read, and its key is known by the name that it has there', () => {
    const { decrypt, encrypt } = createEncryption({ home, encryptionKey: Buffer.alloc(32, 1).toString('base64') });
    const written = 'v2:72cd6e8422c4:/7W98vaZRaBqsauclGYbCbyjb5/VnZ/Rgh5W/CjSXEZ8bbzDmAtmL8UE';
    assert.equal(decrypt(written), 'written before');
    assert.equal(encrypt('written now').split(':')[1], written.split(':')[1]);
  });

  test('another key and a changed text are refused, without the secret in the error', () => {
    const { encrypt, decrypt } = createEncryption({ home, encryptionKey: '' });
    const other = createEncryption({ home, encryptionKey: Buffer.alloc(32, 7).toString('base64') });
    const encrypted = encrypt('hunter2');
    assert.throws(() => other.decrypt(encrypted), DecryptionFailed);
    const changed = `${encrypted.slice(0, -4)}${encrypted.endsWith('AAA=') ? 'BBB=' : 'AAA='}`;
    for (const text of [changed, 'v1:', 'hunter2', '']) assert.throws(() => decrypt(text), DecryptionFailed);
  });

  test('a key file without a key stops the server', () => {
    writeFileSync(path, 'short');
    assert.throws(() => createEncryption({ home, encryptionKey: '' }), /must contain 32 bytes/);
  });
});
