import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

const compress = promisify(gzip);

/** Below this size, compression costs more than it saves. */
const SMALLEST_BYTES = 1500;
/** A listed coding whose quality is not 0. Source: RFC 9110, section 12.5.3. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/;
const BROTLI = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/;

/** The compressed body; undefined when the client cannot read it or when it is too small to gain. */
export async function compressed(body: string, acceptEncoding: string | undefined): Promise<Buffer | undefined> {
  if (body.length < SMALLEST_BYTES || !readsGzip(acceptEncoding)) return undefined;
  return compress(body, { level: constants.Z_BEST_SPEED });
}

/** True when the client accepts gzip. */
export function readsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && GZIP.test(acceptEncoding);
}

/** True when the client accepts Brotli. Browsers do on HTTPS and on the loopback address. */
export function readsBrotli(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && BROTLI.test(acceptEncoding);
}
