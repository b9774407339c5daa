import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

const compress = promisify(gzip);

/** Below this size, compression costs more than it saves. */
const SMALLEST_BYTES = 1500;

/** The body compressed, or undefined when the client cannot read it or it is too small to gain. */
export async function compressed(body: string, acceptEncoding: string | undefined): Promise<Buffer | undefined> {
  if (body.length < SMALLEST_BYTES || !readsGzip(acceptEncoding)) return undefined;
  return compress(body, { level: constants.Z_BEST_SPEED });
}

/** True when the client accepts gzip. */
export function readsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(acceptEncoding);
}
