/** The token for the rest of a list of events, as text that clients return without reading it. */
import { Forbidden } from '../errors.ts';
import { compileDecoder } from '../schema/decode.ts';
import { DateTime, Nullable, Shape, type Static, Type, Uuid } from '../schema/kinds.ts';
import { EventFilter } from './schema.ts';

const PageToken = Shape('PageToken', {
  /** The filter with the times of the first page, so that later events do not shift the pages. */
  filter: EventFilter,
  /** Matching events, as counted for the first page. */
  count: Type.Integer({ minimum: 0 }),
  page_size: Type.Integer({ minimum: 0, maximum: 50 }),
  /** Events on the pages before. */
  offset: Type.Integer({ minimum: 0 }),
  after: Nullable(Type.Object({ occurred: DateTime(), id: Uuid() })),
});
export type PageToken = Static<typeof PageToken>;

const decodeToken = compileDecoder(PageToken, 'body');

export function writePageToken(token: PageToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Throws Forbidden when the text is not a token. Source: `GET /events/filter/next` of the Prefect server 3.9.1. */
export function readPageToken(text: string): PageToken {
  const token = decodeToken(parse(Buffer.from(text, 'base64url').toString('utf8')));
  if (!token.ok) throw new Forbidden('Forbidden');
  return token.value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
