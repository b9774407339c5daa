/** The validation stage: checks path, query, headers and body of a request against the declaration of its route. */
import { ValidationFailed, type ValidationIssue } from '../../errors.ts';
import { nextTurn } from '../../fairness/turns.ts';
import { compileDecoder, type Decoded } from '../../schema/decode.ts';
import { isOwnPart, type TSchema, Type, Uuid } from '../../schema/kinds.ts';
import { layoutOf } from '../../schema/layout.ts';
import { isJsonObject, type Layout, numberOf } from '../../values/json.ts';
import { checkPageLimit } from '../../values/page-limit.ts';
import type { Route } from '../routes/route.ts';
import { contentTypeOf, isJson } from './read-body.ts';

/** The parts of a request that are validated in addition to its body. */
interface ReceivedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly raw: Parameters<typeof contentTypeOf>[0];
}

type Decode = (input: unknown) => Decoded<unknown>;

/** The compiled validation of a route. */
export interface RequestDecoder {
  /** Segments of the path that a schema describes. */
  readonly path: Decode | undefined;
  readonly query: Decode | undefined;
  readonly headers: Decode | undefined;
  readonly body: Decode | undefined;
  /** The parts of a large body that the decoder reads. */
  readonly layout: Layout;
  /** The body is a list of any length, whose items are decoded one by one. */
  readonly isList: boolean;
  readonly bodyOptional: boolean;
  /** The parts of a `Body_…` shape, in the order in which the reference reports missing ones. */
  readonly parts: readonly string[] | undefined;
  /** The body has a `limit` whose bounds and default are a setting. */
  readonly limited: boolean;
}

const decodeProvenance: Decode = compileDecoder(
  Type.Object({ 'prefect-automation-id': Type.Optional(Uuid()) }),
  'header',
);

export function compileRequestDecoder(
  route: Pick<Route, 'query' | 'body' | 'bodyOptional' | 'provenance'> & Partial<Pick<Route, 'headers' | 'parameters'>>,
): RequestDecoder {
  const parts = partsOf(route.body);
  const limited = parts?.['limit'] !== undefined && !('maximum' in parts['limit'] || 'default' in parts['limit']);
  const segments: Record<string, TSchema> = {};
  for (const [name, parameter] of Object.entries(route.parameters ?? {})) {
    if (typeof parameter === 'object') segments[name] = parameter;
  }
  return {
    path: Object.keys(segments).length > 0 ? compileDecoder(Type.Object(segments), 'path') : undefined,
    query: route.query && compileDecoder(route.query, 'query'),
    headers: route.provenance ? decodeProvenance : route.headers && compileDecoder(route.headers, 'header'),
    body: route.body && compileDecoder(route.body, 'body'),
    layout: layoutOf(route.body),
    isList: isPlainList(route.body),
    bodyOptional: route.bodyOptional ?? false,
    parts: parts && (limited ? Object.keys(parts).sort((left, right) => rank(left) - rank(right)) : Object.keys(parts)),
    limited,
  };
}

function isPlainList(body: object | undefined): boolean {
  if (!body || !('items' in body) || Array.isArray(body.items)) return false;
  return !('minItems' in body || 'maxItems' in body || 'uniqueItems' in body);
}

function partsOf(body: TSchema | undefined): Record<string, object> | undefined {
  const { $id, properties } = (body ?? {}) as { $id?: string; properties?: Record<string, object> };
  if (!$id?.startsWith('Body_') || !properties) return undefined;
  return Object.fromEntries(Object.entries(properties).filter(([, part]) => !isOwnPart(part)));
}

/** Orders issues like the reference, which first checks a limit that is a setting. */
function rank(part: string): number {
  return part === 'limit' ? 0 : 1;
}

/** Throws ValidationFailed with every issue, or Unprocessable for a limit out of bounds, which comes first. */
export function validateRequest(
  decoder: RequestDecoder,
  request: ReceivedRequest,
  body: unknown,
  largestPage: number,
): Validated {
  return validated(decoder, request, body, largestPage, decodeBody(decoder, body, isJson(contentTypeOf(request.raw))));
}

/** Like `validateRequest`, for a large body: it takes several turns of the event loop if the body is a list. */
export async function validateLargeRequest(
  decoder: RequestDecoder,
  request: ReceivedRequest,
  body: unknown,
  largestPage: number,
): Promise<Validated> {
  if (!decoder.isList || !decoder.body || !Array.isArray(body)) {
    return validateRequest(decoder, request, body, largestPage);
  }
  return validated(decoder, request, body, largestPage, await decodeItems(decoder.body, body));
}

/** Milliseconds of one turn of the event loop. */
const TURN_MILLISECONDS = 5;
/** Faults of a large list that the answer lists. */
const MOST_ISSUES = 1000;

async function decodeItems(decode: Decode, items: readonly unknown[]): Promise<Decoded<unknown>> {
  const values: unknown[] = [];
  const issues: ValidationIssue[] = [];
  let began = performance.now();
  for (let index = 0; index < items.length && issues.length < MOST_ISSUES; index++) {
    const decoded = decode([items[index]]);
    if (decoded.ok) values.push((decoded.value as unknown[])[0]);
    else for (const issue of decoded.issues) issues.push({ ...issue, loc: withIndex(issue.loc, index) });
    if (performance.now() - began < TURN_MILLISECONDS) continue;
    await nextTurn();
    began = performance.now();
  }
  return issues.length === 0 ? { ok: true, value: values } : { ok: false, issues };
}

/** `['body', 0, 'name']` with the index of the item in the whole list. */
function withIndex([body = 'body', _first, ...rest]: ValidationIssue['loc'], index: number): ValidationIssue['loc'] {
  return [body, index, ...rest];
}

export interface Validated {
  readonly query: unknown;
  readonly body: unknown;
}

function validated(
  decoder: RequestDecoder,
  request: ReceivedRequest,
  body: unknown,
  largestPage: number,
  decoded: Decoded<unknown> | undefined,
): Validated {
  if (decoder.limited && isJsonObject(body)) {
    const limit = numberOf(body['limit']);
    if (limit !== undefined && Number.isInteger(limit)) checkPageLimit(limit, largestPage);
  }
  const issues: ValidationIssue[] = [];
  const path = decoder.path?.(request.params);
  if (path && !path.ok) issues.push(...path.issues);
  const query = decoder.query?.(request.query);
  if (query && !query.ok) issues.push(...query.issues.map(withoutInput));
  const headers = decoder.headers?.(request.headers);
  if (headers && !headers.ok) issues.push(...headers.issues);
  if (decoded && !decoded.ok) issues.push(...decoded.issues);
  if (decoder.limited) issues.sort((left, right) => Number(isOfLimit(right)) - Number(isOfLimit(left)));
  if (issues.length > 0) throw new ValidationFailed(issues);
  return { query: query?.ok ? query.value : undefined, body: decoded?.ok ? decoded.value : undefined };
}

function isOfLimit({ loc }: ValidationIssue): boolean {
  return loc[0] === 'body' && loc[1] === 'limit';
}

function decodeBody(decoder: RequestDecoder, body: unknown, wasJson: boolean): Decoded<unknown> | undefined {
  if (!decoder.body) return undefined;
  if (!decoder.parts) {
    if (body !== undefined && body !== null) return decoder.body(body);
    return decoder.bodyOptional ? undefined : { ok: false, issues: [missing(['body'])] };
  }
  // A body of another content type has no parts; parts with defaults are then filled in.
  const isNoObject = wasJson && body !== undefined && body !== null && !isJsonObject(body);
  if (isNoObject) return { ok: false, issues: decoder.parts.map((part) => missing(['body', part])) };
  const decoded = decoder.body(isJsonObject(body) ? body : {});
  return decoded.ok ? decoded : { ok: false, issues: decoded.issues.map(withoutInput) };
}

function missing(loc: readonly (string | number)[]): ValidationIssue {
  return { type: 'missing', loc, msg: 'Field required', input: null };
}

/** A missing part or parameter has no surrounding object to show. */
function withoutInput(issue: ValidationIssue): ValidationIssue {
  return issue.type === 'missing' && issue.loc.length === 2 ? { ...issue, input: null } : issue;
}
