import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BadRequest, ValidationFailed } from '../errors.ts';
import { JsonLimitError, JsonSyntaxError, parseJson } from '../json.ts';

/**
 * Reads a request body: JSON when the content type says so or says nothing, else the text itself (which then fits no
 * schema and is refused by validation, as in the reference). Undefined when there is no body.
 */
export function readBody(bytes: Buffer | undefined, contentType: string | undefined): unknown {
  if (!bytes || bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new BadRequest('There was an error parsing the body');
  const text = bytes.toString('utf8');
  if (!isJson(contentType)) return text;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonLimitError) throw new BadRequest('There was an error parsing the body');
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ValidationFailed([
      {
        type: 'json_invalid',
        loc: ['body', error.position],
        msg: 'JSON decode error',
        input: {},
        ctx: { error: error.reason },
      },
    ]);
  }
}

const givenType = Symbol('content type');

/** A property, because a weak map costs each request five times as much and the collector more. */
interface Kept extends IncomingMessage {
  [givenType]?: string;
}

/** Puts the content type where the framework does not look: without one it takes the body as it is, and parses no type. */
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
