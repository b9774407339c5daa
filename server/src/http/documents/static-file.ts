/**
 * Files that are the same for everyone, kept in memory: the documentation's assets, the start page, the API document.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readsBrotli, readsGzip } from '../answer/compress.ts';

const codings = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/** Types whose files are already compressed. */
const COMPRESSED: ReadonlySet<string> = new Set(['font/woff2']);

/** The address changes with the content, so a copy is never stale. */
export const KEEP_FOREVER = 'public, max-age=31536000, immutable';
/** A copy may be cached, but must be revalidated before use. */
export const ASK_FIRST = 'no-cache';

export class StaticFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Extra headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #content: Buffer;
  /** Twelve characters of a hash of the content. */
  readonly digest: string;
  readonly #compressed = new Map<keyof typeof codings, Promise<Buffer>>();

  constructor(
    content: string | Buffer,
    contentType: string,
    cacheControl: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#content = Buffer.from(content);
    this.contentType = contentType;
    this.cacheControl = cacheControl;
    this.headers = headers;
    this.digest = createHash('sha256').update(this.#content).digest('base64url').slice(0, 12);
  }

  /** Answers a GET or HEAD: 304 to a client that has this content, compressed if the client accepts that. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const etag = `"${this.digest}"`;
    reply.headers({
      'cache-control': this.cacheControl,
      etag,
      vary: 'Accept-Encoding, Origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...this.headers,
    });
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.header('content-type', this.contentType);
    const accepted = request.headers['accept-encoding'];
    const coding = COMPRESSED.has(this.contentType)
      ? undefined
      : readsBrotli(accepted)
        ? 'br'
        : readsGzip(accepted)
          ? 'gzip'
          : undefined;
    if (!coding) return reply.send(this.#content);
    return reply.header('content-encoding', coding).send(await this.#compress(coding));
  }

  /** Compresses once for all clients. */
  #compress(coding: keyof typeof codings): Promise<Buffer> {
    let compressed = this.#compressed.get(coding);
    if (!compressed) {
      compressed = codings[coding](this.#content);
      this.#compressed.set(coding, compressed);
    }
    return compressed;
  }
}

/** Proxies that compress mark the tag as weak; the content is still the same. */
function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
}
