import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BadRequest, PayloadTooLarge, ValidationFailed } from '../../errors.ts';
import { nextTurn } from '../../fairness/turns.ts';
import {
  JsonLimitError,
  JsonSyntaxError,
  LargeJsonError,
  type Layout,
  parseJson,
  parseLargeJson,
} from '../../values/json.ts';

/** A longer body is read in several turns of the event loop: in one turn it would take 10 to 40 ms per megabyte. */
const LARGE_BYTES = 128 * 1024;
/** Limit for the parts of a large body that are not stored as open JSON: in total, or for each item of a list. */
const MAX_BUILT_CHARACTERS = 1024 * 1024;

export function isLarge(bytes: Buffer | undefined): boolean {
  return bytes !== undefined && bytes.length > LARGE_BYTES;
}

/**
 * Reads a request body: JSON when the content type is JSON or absent, else the text itself (which then fits no schema
 * and is refused by validation, as in the reference). Undefined without a body. Returns a promise for a large body.
 */
export function readBody(
  bytes: Buffer | undefined,
  contentType: string | undefined,
  layout: Layout,
): unknown | Promise<unknown> {
  if (!bytes || bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new BadRequest('There was an error parsing the body');
  const text = bytes.toString('utf8');
  if (!isJson(contentType)) return text;
  if (isLarge(bytes)) return readLarge(text, layout);
  try {
    return parseJson(text);
  } catch (error) {
    throw unreadable(error);
  }
}

async function readLarge(text: string, layout: Layout): Promise<unknown> {
  try {
    return await parseLargeJson(text, layout, { maxBuilt: MAX_BUILT_CHARACTERS, nextTurn });
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): unknown {
  if (error instanceof LargeJsonError)
    return new PayloadTooLarge('The request body is larger than this server accepts.');
  if (error instanceof JsonLimitError) return new BadRequest('There was an error parsing the body');
  if (!(error instanceof JsonSyntaxError)) return error;
  return new ValidationFailed([
    {
      type: 'json_invalid',
      loc: ['body', error.position],
      msg: 'JSON decode error',
      input: {},
      ctx: { error: error.reason },
    },
  ]);
}

const givenType = Symbol('content type');

/** A property, because a weak map takes five times as long for each request, and burdens the garbage collector. */
interface Kept extends Pick<IncomingMessage, 'headers'> {
  [givenType]?: string;
}

/**
 * Moves the content type to a property that the framework does not read: without a content type it leaves the body
 * alone.
 */
export function keepContentType(request: Kept): void {
  const given = request.headers['content-type'];
  if (given === undefined) return;
  request[givenType] = given;
  request.headers['content-type'] = undefined;
}

export function contentTypeOf(request: Kept): string | undefined {
  return request[givenType] || undefined;
}

/** True when a body of this content type is read as JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

/** A body of type `application/x-www-form-urlencoded` as an object of texts; the last of repeated fields wins. */
export function readForm(body: Buffer | undefined): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body?.toString('utf8') ?? ''));
}
