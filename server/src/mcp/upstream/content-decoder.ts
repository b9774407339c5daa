/** Decodes a compressed answer of an upstream, piece by piece and no faster than its reader accepts it. */
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { guarded } from '../../watching/background.ts';

/** Limits the memory of one answer: the window of zstd is at most 8 MB, as in browsers. Source: RFC 9659. */
const ZSTD_WINDOW_BITS = 23;
/** The lower half of the first byte of the zlib format; other data is raw deflate, which some servers send. */
const ZLIB_METHOD = 8;

const decoders: Readonly<Record<string, (first: Buffer) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (first) => ((first[0] ?? 0) % 16 === ZLIB_METHOD ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_BITS } }),
};

interface Reader {
  /** Returns false to request a pause until `resume`. */
  data(chunk: Buffer): boolean;
  end(): void;
  fail(error: unknown): void;
  /** More data may be written. */
  drained(): void;
}

/** A decoder for a supported coding; undefined for others, and for an unencoded answer. */
export function contentDecoder(encoding: string | undefined, reader: Reader): ContentDecoder | undefined {
  const create = encoding === undefined ? undefined : decoders[encoding.trim().toLowerCase()];
  return create && new ContentDecoder(create, reader);
}

export class ContentDecoder {
  readonly #create: (first: Buffer) => Transform;
  readonly #reader: Reader;
  #stream: Transform | undefined;

  constructor(create: (first: Buffer) => Transform, reader: Reader) {
    this.#create = create;
    this.#reader = reader;
  }

  /** Returns false to request a pause until `drained`. */
  write(chunk: Buffer): boolean {
    if (chunk.length === 0) return true;
    this.#stream ??= this.#begin(chunk);
    return this.#stream.write(chunk);
  }

  /** An answer without a body has nothing to decode, whatever its headers. */
  end(): void {
    if (this.#stream) this.#stream.end();
    else this.#reader.end();
  }

  resume(): void {
    this.#stream?.resume();
  }

  destroy(): void {
    this.#stream?.destroy();
  }

  #begin(first: Buffer): Transform {
    const stream = this.#create(first);
    const name = 'a compressed answer';
    const fail = (error: unknown) => this.#reader.fail(error);
    const take = (chunk: Buffer) => {
      if (!this.#reader.data(chunk)) stream.pause();
    };
    stream.on('data', guarded(name, take, fail));
    stream.on(
      'drain',
      guarded(name, () => this.#reader.drained(), fail),
    );
    stream.once(
      'end',
      guarded(name, () => this.#reader.end(), fail),
    );
    stream.once('error', guarded(name, fail));
    return stream;
  }
}
