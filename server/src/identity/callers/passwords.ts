/**
 * Passwords as argon2id, computed off the main thread. Source: RFC 9106, second recommended option, with less memory as
 * OWASP's cheat sheet allows (19 MiB, two passes, one lane).
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Capacity } from '../../fairness/capacity.ts';
import { Gate } from '../../fairness/gate.ts';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
/** Hashes that may wait. Each takes about 30 ms, so the last one waits half a second. */
const MAX_WAITING = 32;
/** Waiting hashes that may come from strangers. The other places stay free for known people during a flood. */
const MAX_STRANGERS_WAITING = 24;

/** Priority of a hash: `known` people have signed in from this browser before, or hold a link of this server. */
type Standing = 'known' | 'stranger';

/** Computes the hashes of a process. Each method throws Unavailable when too many wait already. */
export class Passwords {
  readonly #gate: Gate;
  #evaluations = 0;

  constructor({ passwordHashes }: Pick<Capacity, 'passwordHashes'>) {
    this.#gate = new Gate({
      name: 'password hashes',
      places: passwordHashes,
      waits: { most: MAX_WAITING, mostNotFirst: MAX_STRANGERS_WAITING },
      busy: 'Too many people are signing in. Try again.',
    });
  }

  /** Number of hashes computed so far. */
  get evaluations(): number {
    return this.#evaluations;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const tag = await this.#compute(password, salt, 'known');
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`;
  }

  /** Takes the same time without a stored hash, so that the response time does not reveal which addresses exist. */
  async verify(password: string, stored: string | null, standing: Standing): Promise<boolean> {
    const [, salt = '', tag = ''] = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([^$]+)\$([^$]+)$/.exec(stored ?? '') ?? [];
    const computed = await this.#compute(
      password,
      salt === '' ? randomBytes(SALT_BYTES) : Buffer.from(salt, 'base64'),
      standing,
    );
    const wanted = Buffer.from(tag, 'base64');
    return wanted.length === computed.length && timingSafeEqual(wanted, computed);
  }

  async #compute(password: string, salt: Buffer, standing: Standing): Promise<Buffer> {
    const release = await this.#gate.acquire([], { first: standing === 'known' });
    this.#evaluations++;
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
      release();
    }
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
