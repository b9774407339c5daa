/**
 * Reads the manifest of a server as a client would: in the stateless revision if the server supports it, else in a
 * session. Source: modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle and /2026-07-28/basic/versioning.
 */
import { newTimeOrderedId } from '../../values/id.ts';
import { VERSION } from '../../values/versions.ts';
import { type Era, MODERN_VERSION } from '../protocol/era.ts';
import { isObject } from '../protocol/message.ts';
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from '../protocol/meta.ts';
import { LISTS } from '../protocol/methods.ts';
import { ask } from '../upstream/ask.ts';
import { openSession } from '../upstream/open-session.ts';
import { refusedCredential, type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { type Question, readUnknownAnswers, type UnknownAnswers } from './unknown-capabilities.ts';

type Item = Readonly<Record<string, unknown>>;

export interface Manifest {
  /** The eras of the protocol that the server supports. */
  readonly eras: readonly Era[];
  readonly serverInfo: Item | null;
  readonly capabilities: Item;
  readonly instructions: string | null;
  readonly tools: readonly Item[];
  readonly prompts: readonly Item[];
  readonly resources: readonly Item[];
  readonly resourceTemplates: readonly Item[];
  /** The server's answers to unknown names, in each supported era; empty if they were not probed. */
  readonly unknown: Readonly<Partial<Record<Era, UnknownAnswers>>>;
}

const TIMEOUT_SECONDS = 20;
/** Limit for all pages of all lists, because the caller and other servers wait. */
const LISTS_SECONDS = 60;
/** A list with more pages than this counts as endless. */
const MAX_PAGES = 100;
/** Characters of all lists together, as JSON: they are stored in one row and read as a whole. */
const MAX_LENGTH = 8 * 1024 * 1024;
const CLIENT_INFO = { name: 'signalbox', version: VERSION };

export interface DiscoveryOptions {
  /**
   * If true, calls a tool, a prompt and a resource with made-up names, to learn the server's answers to unknown names.
   * Otherwise nothing is called.
   */
  readonly asksUnknownNames?: boolean;
  /** Seconds until its first answer in each era, because it may have to start. */
  readonly firstAnswerSeconds?: number;
  readonly listsSeconds?: number;
}

/** Rejects with UpstreamError. */
export async function discover(
  upstream: Upstream,
  {
    asksUnknownNames = false,
    firstAnswerSeconds = TIMEOUT_SECONDS,
    listsSeconds = LISTS_SECONDS,
  }: DiscoveryOptions = {},
): Promise<Manifest> {
  const modern = await discoverModern(upstream, firstAnswerSeconds);
  const session = await discoverBySession(upstream, firstAnswerSeconds).catch((error: unknown) => {
    if (modern) return undefined;
    throw error;
  });
  const known = modern ?? session;
  if (!known) throw new UpstreamError('answer', 'The server did not answer as an MCP server.');
  try {
    const lists = await readLists(upstream, known, listsSeconds);
    const unknownOf = (server: KnownServer) => readUnknownAnswers(upstream, server.capabilities, questionOf(server));
    const unknown = {
      ...(asksUnknownNames && modern ? { modern: await unknownOf(modern) } : {}),
      ...(asksUnknownNames && session ? { legacy: await unknownOf(session) } : {}),
    };
    const eras: Era[] = [...(session ? (['legacy'] as const) : []), ...(modern ? (['modern'] as const) : [])];
    const { serverInfo, capabilities, instructions } = known;
    const { tools = [], prompts = [], resources = [], resourceTemplates = [] } = lists;
    return { eras, serverInfo, capabilities, instructions, tools, prompts, resources, resourceTemplates, unknown };
  } finally {
    await session?.end();
  }
}

/** The functions for requests to a server whose era is known. */
interface KnownServer {
  readonly serverInfo: Item | null;
  readonly capabilities: Item;
  readonly instructions: string | null;
  headersOf(method: string): Readonly<Record<string, string>>;
  readonly meta: Item | undefined;
}

async function discoverModern(upstream: Upstream, seconds: number): Promise<KnownServer | undefined> {
  const headersOf = (method: string) => ({ 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method });
  const meta = {
    [PROTOCOL_VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: CLIENT_INFO,
    [CLIENT_CAPABILITIES_KEY]: {},
  };
  const question = { jsonrpc: '2.0', id: newTimeOrderedId(), method: 'server/discover', params: { _meta: meta } };
  const { status, message } = await ask(upstream, 'POST', headersOf('server/discover'), question, seconds);
  if (status === 401) throw refusedCredential();
  const result = message?.['result'];
  if (!isObject(result) || !Array.isArray(result['supportedVersions'])) return undefined;
  const own = isObject(result['_meta']) ? result['_meta'][SERVER_INFO_KEY] : undefined;
  return { ...described({ ...result, serverInfo: own ?? result['serverInfo'] }), headersOf, meta };
}

async function discoverBySession(
  upstream: Upstream,
  firstAnswerSeconds: number,
): Promise<(KnownServer & { end(): Promise<void> }) | undefined> {
  const patience = { firstAnswerSeconds, seconds: TIMEOUT_SECONDS };
  const { status, session } = await openSession(upstream, { info: CLIENT_INFO }, patience);
  if (status === 401) throw refusedCredential();
  if (!session) return undefined;
  const { id, headers, result } = session;
  return {
    ...described(result),
    headersOf: () => headers,
    meta: undefined,
    // A server may refuse to end sessions; that is not an error.
    end: async () => {
      if (id !== undefined) await ask(upstream, 'DELETE', headers, undefined, TIMEOUT_SECONDS).catch(() => {});
    },
  };
}

function described(result: Item): Pick<KnownServer, 'serverInfo' | 'capabilities' | 'instructions'> {
  const { serverInfo, capabilities, instructions } = result;
  return {
    serverInfo: isObject(serverInfo) ? serverInfo : null,
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : null,
  };
}

/**
 * All pages of all lists that the server declares. Throws UpstreamError when they are too large to store, or take too
 * long.
 */
async function readLists(
  upstream: Upstream,
  known: KnownServer,
  seconds: number,
): Promise<Partial<Record<string, readonly Item[]>>> {
  const lists: Partial<Record<string, readonly Item[]>> = {};
  const until = performance.now() + seconds * 1000;
  let length = 0;
  for (const [method, { property }] of Object.entries(LISTS)) {
    const [offer = ''] = method.split('/');
    const items: Item[] = [];
    lists[property] = items;
    if (known.capabilities[offer] === undefined) continue;
    for await (const page of pagesOf(upstream, known, method, property)) {
      length += JSON.stringify(page).length;
      if (length > MAX_LENGTH)
        throw new UpstreamError('answer', 'The lists of the server are larger than this gateway stores.');
      items.push(...page);
      if (performance.now() > until)
        throw new UpstreamError('timeout', 'The server took too long to list its capabilities.');
    }
  }
  return lists;
}

async function* pagesOf(
  upstream: Upstream,
  known: KnownServer,
  method: string,
  property: string,
): AsyncGenerator<Item[], void> {
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { headers, message: question } = questionOf(known)(method, cursor === undefined ? {} : { cursor });
    const { message } = await ask(upstream, 'POST', headers, question, TIMEOUT_SECONDS);
    const result = message?.['result'];
    // Some servers offer resources but do not support templates.
    if (!isObject(result) || !Array.isArray(result[property])) return;
    yield result[property].filter(isObject);
    cursor = result['nextCursor'];
    if (typeof cursor !== 'string') return;
  }
}

function questionOf(known: KnownServer): Question {
  return (method, params) => {
    const named = params['name'] ?? params['uri'];
    const name: Record<string, string> = known.meta && typeof named === 'string' ? { 'mcp-name': named } : {};
    return {
      headers: { ...known.headersOf(method), ...name },
      message: {
        jsonrpc: '2.0',
        id: newTimeOrderedId(),
        method,
        params: { ...params, ...(known.meta ? { _meta: known.meta } : {}) },
      },
    };
  };
}
