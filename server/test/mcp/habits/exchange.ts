/** What a client says in one habit, and what it hears: raw HTTP, as no SDK would send all of it. */
import { isDeepStrictEqual } from 'node:util';

export interface Side {
  readonly url: string;
  /** Of the gateway; none for the server itself. */
  readonly authorization: Readonly<Record<string, string>>;
}

/** A client in a revision, with the session that it has opened where the revision has sessions. */
export interface HabitClient {
  readonly side: Side;
  readonly revision: string;
  readonly isStateless: boolean;
  /** The headers of its requests. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What came back, without what differs from one server process to the next. */
export interface Heard {
  readonly status: number;
  /** In the order of their ids. */
  readonly answers: readonly HeardAnswer[];
  /** Methods of notifications, and their progress tokens. */
  readonly notices: readonly (readonly [string, unknown])[];
}

interface HeardAnswer {
  readonly id: unknown;
  readonly error?: number;
  readonly result?: unknown;
}

const ACCEPT = 'application/json, text/event-stream';
/** Longer than any of these servers works on an answer. */
const ANSWER_MILLISECONDS = 6000;
export const CLIENT_INFO = { name: 'habits', version: '1' };

export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** As it is sent: a text stays one. */
  readonly body?: unknown;
  readonly path?: string;
}

/** Sends with the client's headers; undefined takes one of them away. */
export async function send(client: HabitClient, sending: Sending): Promise<Response> {
  const { method = 'POST', body, path = '' } = sending;
  const headers = Object.entries({
    accept: ACCEPT,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...client.side.authorization,
    ...client.headers,
    ...sending.headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(client.side.url + path, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** The whole answer. */
export async function heard(answer: Response): Promise<Heard> {
  const text = await answer.text();
  const messages = (answer.headers.get('content-type') ?? '').startsWith('text/event-stream')
    ? eventsIn(text)
    : [parsed(text)].flat();
  const objects = messages.filter((message): message is Message => typeof message === 'object' && message !== null);
  const answers = objects.filter(({ result, error }) => result !== undefined || error !== undefined);
  return {
    status: answer.status,
    answers: answers
      .map(({ id, result, error }) => (error ? { id, error: error.code } : { id, result: plain(result) }))
      .sort((left, right) => (String(left.id) < String(right.id) ? -1 : 1)),
    // That a list has changed is of no request: a program over stdio says it where somebody listens.
    notices: objects
      .filter(({ method }) => method && !method.endsWith('/list_changed'))
      .map(({ method, params }) => [method!, params?.progressToken]),
  };
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progressToken?: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

function eventsIn(text: string): unknown[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map(parsed);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lists by their names, since a remix describes its own; of an opened session its revision; all else as it is. */
function plain(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const given = result as Record<string, unknown>;
  for (const list of ['tools', 'prompts', 'resources', 'resourceTemplates']) {
    const items = given[list];
    if (Array.isArray(items)) return items.map((item) => item.uri ?? item.uriTemplate ?? item.name).sort();
  }
  if ('protocolVersion' in given) return given['protocolVersion'];
  if ('supportedVersions' in given) return 'discovered';
  const { _meta, resultType, ttlMs, cacheScope, ...rest } = given;
  return rest;
}

/** True where a client would say that it works. */
export function works({ status, answers }: Heard): boolean {
  return status < 300 && answers.every(({ error }) => error === undefined);
}

/** Undefined where the second is as good as the first. */
export function differenceOf(direct: Heard, through: Heard): string | undefined {
  if (!works(direct)) return through.status >= 500 && direct.status < 500 ? `answered ${through.status}` : undefined;
  if (!works(through)) return `works directly; ${JSON.stringify(through).slice(0, 300)}`;
  for (const part of ['status', 'answers', 'notices'] as const) {
    if (isDeepStrictEqual(direct[part], through[part])) continue;
    return `${part}: ${JSON.stringify(direct[part]).slice(0, 200)} and ${JSON.stringify(through[part]).slice(0, 200)}`;
  }
  return undefined;
}
