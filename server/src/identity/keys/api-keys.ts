/**
 * API keys: `sbx_`, 43 base62 characters (256 random bits) and 6 characters of checksum. The checksum lets the server
 * refuse a truncated or mistyped key without a query, and lets scanners tell a key from other text. The database stores
 * only the SHA-256: 256 random bits need no slow hash.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hashOfSecret } from '../../encryption/secret-hash.ts';

const PREFIX = 'sbx_';
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = new RegExp(`^([0-9A-Za-z]{${SECRET_CHARACTERS}})([0-9A-Za-z]{${CHECKSUM_CHARACTERS}})$`);

interface NewApiKey {
  /** Shown once and not stored. */
  readonly secret: string;
  /** The stored form: SHA-256 in hexadecimal. */
  readonly hash: string;
}

/** `prefix` marks other kinds of secrets, which are made and checked in the same way. */
export function newApiKey(prefix = PREFIX): NewApiKey {
  const body = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_CHARACTERS);
  const secret = prefix + body + checksumOf(prefix + body);
  return { secret, hash: hashOfSecret(secret) };
}

/** The hash that a well-formed key is looked up by; undefined for any other text. */
export function hashOfApiKey(text: string, prefix = PREFIX): string | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const [, body = '', checksum] = KEY.exec(text.slice(prefix.length)) ?? [];
  return checksum !== undefined && checksumOf(prefix + body) === checksum ? hashOfSecret(text) : undefined;
}

/** A secret of 256 random bits for links and cookies. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function checksumOf(checked: string): string {
  let text = '';
  for (let rest = crc32(checked); rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text.padStart(CHECKSUM_CHARACTERS, '0');
}

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(width, '0');
}
