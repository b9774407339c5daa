/**
 * The key with which the processes of one installation prove to each other who they are: both sides of each connection
 * derive it from the encryption key, and TLS without certificates (a pre-shared key) proves it and encrypts what they say.
 */
import { hkdfSync } from 'node:crypto';
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import type { Key, Keyring } from '../encryption/keyring.ts';

const PURPOSE = 'signalbox: connections between the processes of one installation';
const KEY_BYTES = 32;
/** With fresh keys for each connection. Node has pre-shared keys up to this version. */
const PROTOCOL = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

export function listeningOptions(keyring: Keyring): TlsOptions {
  return {
    ...PROTOCOL,
    pskCallback: (_socket, identity) => {
      const key = keyring.find(identity);
      return key ? peerKeyOf(key) : null;
    },
  };
}

export function connectingOptions(keyring: Keyring): ConnectionOptions {
  return {
    ...PROTOCOL,
    pskCallback: () => {
      const key = keyring.current();
      return { psk: peerKeyOf(key), identity: key.id };
    },
    // The key proves who it is, so the other side has no certificate to check.
    checkServerIdentity: () => undefined,
  };
}

function peerKeyOf({ bytes }: Key): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, '', PURPOSE, KEY_BYTES));
}
