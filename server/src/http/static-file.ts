/** Files that are the same for everyone, kept in memory: the documentation's assets, the start page, the API document. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readsGzip } from './compress.ts';

const compress = promisify(gzip);

/** The address changes with the content, so a copy never goes stale. */
export const KEEP_FOREVER = 'public, max-age=31536000, immutable';
/** A copy may be cached, but must be revalidated before use. */
export const ASK_FIRST = 'no-cache';

export class StaticFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Extra headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #content: Buffer;
  /** Twelve characters that change with the content. */
  readonly digest: string;
  #compressed: Promise<Buffer> | undefined;

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

  /** Answers a GET or HEAD: 304 to a client that has this content, compressed to one that can read that. */
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
    if (!readsGzip(request.headers['accept-encoding'])) return reply.send(this.#content);
    this.#compressed ??= compress(this.#content);
    return reply.header('content-encoding', 'gzip').send(await this.#compressed);
  }
}

/** Proxies that compress mark the tag as weak; the content is still the same. */
function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
}
