/**
 * The declaration of a resource's routes. The pipeline turns it into a served route and a part of the OpenAPI document.
 */

import type { LiveFrame } from '../../changes/live-frame.ts';
import type { Context } from '../../context/context.ts';
import type { Permission } from '../../identity/access/permissions.ts';
import type { Static, TSchema } from '../../schema/kinds.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The answer of a handler: a value in the shape that the route declares for `status`. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** A body that is not JSON, sent unchanged; a body that may be large is sent piece by piece. */
export class PlainBody {
  readonly contentType: string;
  readonly text: string | AsyncIterable<string>;
  constructor(contentType: string, text: string | AsyncIterable<string>) {
    this.contentType = contentType;
    this.text = text;
  }
}

/** The destination of a stream's messages: server-sent events, in the order of sending. */
interface MessageSink {
  /**
   * Sends a `messageFrame` (`changes/live-frame.ts`). A reader that is too far behind is disconnected and may reconnect.
   */
  send(message: LiveFrame): void;
  /** Ends the stream; its reader may open another. */
  end(): void;
}

/** An answer that continues until the client leaves. `open` starts sending and returns a function that stops. */
export class EventStream {
  readonly open: (sink: MessageSink) => () => void;
  constructor(open: (sink: MessageSink) => () => void) {
    this.open = open;
  }
}

/**
 * A `uuid` segment matches only ids: other text is the router's 404, as in the reference. A schema describes a segment
 * in the document; such a segment matches any text, and the handler decodes it.
 */
type PathParameters = Readonly<Record<string, 'uuid' | 'text' | TSchema>>;

export interface RouteInput<Path, Query, Body> {
  readonly context: Context;
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface RouteSpec<Path extends PathParameters, Query extends TSchema, Body extends TSchema> {
  readonly method: Method;
  /** The path in the form of the reference's document: `/flows/{id}`. */
  readonly path: string;
  readonly operationId: string;
  /** Summary of at most 80 characters: `List flows`. */
  readonly summary: string;
  /** One to four sentences: the meaning of fields, their units, and the conditions of errors. */
  readonly description: string;
  readonly tags: readonly string[];
  readonly permission: Permission;
  readonly parameters?: Path;
  readonly query?: Query;
  /** Headers that the route validates; their values are not converted. */
  readonly headers?: TSchema;
  /** A `Body_…` shape has several parts, each of which may be optional; any other shape is the whole body. */
  readonly body?: Body;
  /** True when the whole body is optional; `body` is undefined without it. */
  readonly bodyOptional?: boolean;
  /**
   * Largest body: 1 MB, or the value of the setting. `large` is for requests with the parameters of runs, and for
   * bodies that are stored as sent or item by item: logs, events, and JSON that programs own.
   */
  readonly bodySize?: 'usual' | 'large';
  /** True when the body may contain secrets: a refusal does not repeat it. */
  readonly secretBody?: boolean;
  /** True when the route answers every API version. */
  readonly anyApiVersion?: boolean;
  /** True when the route records the automation that sent the request; then its header is validated. */
  readonly provenance?: boolean;
  /** Shape of the answer by status; null is an answer without content. */
  readonly responses: Readonly<Record<number, TSchema | null>>;
  handler(input: RouteInput<{ [Name in keyof Path]: string }, Static<Query>, Static<Body>>): Promise<Answer> | Answer;
}

/** A declared route without its types. */
export interface Route extends Omit<RouteSpec<PathParameters, TSchema, TSchema>, 'handler'> {
  handler(input: RouteInput<Record<string, string>, unknown, unknown>): Promise<Answer> | Answer;
}

export function route<
  const Path extends PathParameters = Record<never, 'uuid'>,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(spec: RouteSpec<Path, Query, Body>): Route {
  return spec as unknown as Route;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function created(body: unknown): Answer {
  return { status: 201, body };
}

export const noContent: Answer = { status: 204 };
