/**
 * A connection to PostgreSQL that reads into one buffer of its own. The driver's default allocates a buffer for each 64
 * kB and copies a large row into ever larger ones; all of them stay until the garbage collector runs, which counts
 * hardly any of these bytes. This socket passes whole messages to the driver, and frees the bytes of a large message
 * immediately.
 */
import { Socket } from 'node:net';
import { freeBytes } from '../../network/free-bytes.ts';

const READ_BYTES = 64 * 1024;
/**
 * A message begins with one byte for its kind and four for its length, which includes the length field but not the
 * kind.
 */
const KIND_BYTES = 1;
const HEAD_BYTES = 5;

/**
 * The socket for a connection of the driver. With TLS it is the usual one, because TLS reads pieces that are not
 * messages.
 */
export function socketFor({ ssl }: { readonly ssl?: unknown }): Socket {
  return ssl ? new Socket() : new PostgresSocket();
}

/**
 * The driver must not keep the buffers of `data`. It does not: it decodes every message except those of COPY
 * immediately.
 */
class PostgresSocket extends Socket {
  /** The beginning of a message whose length is not yet known. */
  #head = Buffer.alloc(0);
  /** A message larger than one read, and the number of bytes that have arrived. */
  #message: Buffer | undefined;
  #filled = 0;

  constructor() {
    super({
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (bytes, buffer) => {
          this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
          return true;
        },
      },
    });
  }

  #read(arrived: Buffer): void {
    let rest = this.#message ? this.#fill(this.#message, arrived) : arrived;
    if (this.#head.length > 0) {
      rest = Buffer.concat([this.#head, rest]);
      this.#head = Buffer.alloc(0);
    }
    const whole = lengthOfWhole(rest);
    if (whole > 0) this.emit('data', rest.subarray(0, whole));
    const begun = rest.subarray(whole);
    if (begun.length >= HEAD_BYTES) this.#begin(begun);
    else if (begun.length > 0) this.#head = Buffer.from(begun);
  }

  #begin(begun: Buffer): void {
    this.#message = Buffer.allocUnsafeSlow(lengthAt(begun, 0));
    this.#filled = begun.copy(this.#message);
  }

  /** Returns the bytes that belong to later messages. */
  #fill(message: Buffer, arrived: Buffer): Buffer {
    const taken = arrived.copy(message, this.#filled);
    this.#filled += taken;
    if (this.#filled === message.length) {
      this.#message = undefined;
      this.emit('data', message);
      freeBytes(message);
    }
    return arrived.subarray(taken);
  }
}

/** Length in bytes of the whole messages at the beginning. */
function lengthOfWhole(bytes: Buffer): number {
  let whole = 0;
  while (whole + HEAD_BYTES <= bytes.length) {
    const next = whole + lengthAt(bytes, whole);
    if (next > bytes.length) break;
    whole = next;
  }
  return whole;
}

function lengthAt(bytes: Buffer, at: number): number {
  return KIND_BYTES + bytes.readUInt32BE(at + KIND_BYTES);
}
