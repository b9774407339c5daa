/**
 * Passwords as argon2id, computed off the main thread. Source: RFC 9106, second recommended option, with less memory as
 * OWASP's cheat sheet allows (19 MiB, two passes, one lane).
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
/** Hashes that are computed at the same time: each takes 19 MiB and a thread of the pool that file and name look-ups use. */
const MAX_PARALLEL = 2;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await compute(password, salt);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`;
}

/** Takes the same time without a stored hash, so that an answer does not tell which addresses exist. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt = '', tag = ''] = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([^$]+)\$([^$]+)$/.exec(stored ?? '') ?? [];
  const computed = await compute(password, salt === '' ? randomBytes(SALT_BYTES) : Buffer.from(salt, 'base64'));
  const wanted = Buffer.from(tag, 'base64');
  return wanted.length === computed.length && timingSafeEqual(wanted, computed);
}

let running = 0;
const waiting: (() => void)[] = [];

async function compute(password: string, salt: Buffer): Promise<Buffer> {
  if (running >= MAX_PARALLEL) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const parameters = {
        message: password.normalize('NFKC'),
        nonce: salt,
        parallelism: LANES,
        tagLength: TAG_BYTES,
        memory: MEMORY_KIB,
        passes: PASSES,
      };
      argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(Buffer.from(tag))));
    });
  } finally {
    running--;
    waiting.shift()?.();
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
