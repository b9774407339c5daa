/** The habits of clients. Each is played the same way at the server itself and through the gateway. */
import { CLIENT_INFO, type HabitClient, type Heard, heard, send } from './exchange.ts';

export interface Peer {
  /** Arguments of its tool `echo`. */
  readonly echo: Readonly<Record<string, unknown>>;
  /** A tool that tells its progress. */
  readonly progress: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

export interface Habit {
  readonly name: string;
  /** True where it ends the session, or changes what others would hear: it gets a client of its own. */
  readonly isAlone?: boolean;
  /** True where the stateless revision has nothing of the kind. */
  readonly needsSession?: boolean;
  play(client: HabitClient, peer: Peer): Promise<Heard | readonly Heard[]>;
}

const META = 'io.modelcontextprotocol/';

/** A request as the client's revision has it. */
function message(
  { isStateless, revision }: HabitClient,
  method: string,
  params?: object | null,
  id: unknown = 1,
): object {
  if (!isStateless) return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
  const _meta = { [`${META}protocolVersion`]: revision, [`${META}clientCapabilities`]: {}, ...metaOf(params) };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

function metaOf(params: object | null | undefined): object {
  return (params as { _meta?: object | null } | null | undefined)?._meta ?? {};
}

/** Headers with which the stateless revision repeats what the body says. */
function namedIn(client: HabitClient, method: string, name?: string): Record<string, string> {
  return client.isStateless ? { 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) } : {};
}

type Headers = Readonly<Record<string, string | undefined>>;

async function ask(
  client: HabitClient,
  method: string,
  params?: object | null,
  more: { id?: unknown; headers?: Headers } = {},
) {
  const { id = 1, headers = {} } = more;
  const name = (params as { name?: string; uri?: string } | undefined)?.name;
  const body = message(client, method, params, id);
  return heard(await send(client, { body, headers: { ...namedIn(client, method, name), ...headers } }));
}

const list = (client: HabitClient, more: { id?: unknown; headers?: Headers } = {}) =>
  ask(client, 'tools/list', undefined, more);
const call = (client: HabitClient, { echo }: Peer, more: object = {}) =>
  ask(client, 'tools/call', { name: 'echo', arguments: echo, ...more });

const raw = async (client: HabitClient, body: unknown, headers: Headers = {}) => {
  const { method = 'tools/list' } = (typeof body === 'object' && body !== null ? body : {}) as { method?: string };
  return heard(await send(client, { body, headers: { ...namedIn(client, method), ...headers } }));
};

/** A stream that is opened and left: only that it opens counts. */
async function opens(client: HabitClient, headers: Headers = {}): Promise<Heard> {
  const answer = await send(client, { method: 'GET', headers: { accept: 'text/event-stream', ...headers } });
  await answer.body?.cancel();
  return { status: answer.status, answers: [], notices: [] };
}

async function ends(client: HabitClient): Promise<Heard> {
  const answer = await send(client, { method: 'DELETE' });
  await answer.body?.cancel();
  // The protocol leaves it open which success it is.
  return { status: answer.status < 300 ? 200 : answer.status, answers: [], notices: [] };
}

const ids: [string, unknown][] = [
  ['0', 0],
  ['-1', -1],
  ['2^31', 2 ** 31],
  ['the largest whole number', Number.MAX_SAFE_INTEGER],
  ['a fraction', 1.5],
  ['an empty text', ''],
  ['a number as text', '1'],
  ['a text with a space', 'a b'],
  ['a quote', '"'],
  ['letters beyond ASCII', 'é😀'],
  ['500 letters', 'x'.repeat(500)],
  ['a UUID', '7d3c7c1e-7c60-4a4c-9b6d-1b6d8b2f8f10'],
];

const nulls: [string, object | null | undefined][] = [
  ['params null', null],
  ['params absent', undefined],
  ['params empty', {}],
  ['cursor null', { cursor: null }],
  ['cursor empty', { cursor: '' }],
  ['_meta null', { _meta: null }],
  ['_meta empty', { _meta: {} }],
  ['an unknown member', { unknown: 1 }],
];

const tokens: [string, unknown][] = [
  ['a number', 7],
  ['zero', 0],
  ['a text', 'mine'],
  ['an empty text', ''],
];

const accepts: [string, string | undefined][] = [
  ['both', 'application/json, text/event-stream'],
  ['both, turned around', 'text/event-stream, application/json'],
  ['both, with weights', 'application/json;q=0.9, text/event-stream;q=0.8'],
  ['anything', '*/*'],
  ['JSON only', 'application/json'],
  ['events only', 'text/event-stream'],
  ['both and anything', 'application/json, text/event-stream, */*;q=0.1'],
];

const types: [string, string][] = [
  ['with a charset', 'application/json; charset=utf-8'],
  ['with a charset in capitals', 'application/json;charset=UTF-8'],
  ['in capitals', 'Application/JSON'],
  ['of text', 'text/plain'],
];

const revisionHeaders: [string, string | undefined][] = [
  ['absent', undefined],
  ['of 2024', '2024-11-05'],
  ['of another session', '2025-06-18'],
  ['unknown', '2099-01-01'],
  ['no date', 'garbage'],
  ['doubled', '2025-06-18, 2025-06-18'],
  ['empty', ''],
];

const said = (method: string, params?: object | null) => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});

const batches: [string, (client: HabitClient) => unknown][] = [
  ['of one', (client) => [message(client, 'tools/list')]],
  ['of two', (client) => [message(client, 'ping', undefined, 1), message(client, 'tools/list', undefined, 2)]],
  ['of twenty', (client) => Array.from({ length: 20 }, (_, index) => message(client, 'ping', undefined, index))],
  ['of a notification', () => [said('notifications/initialized')]],
  ['with a notification', (client) => [said('notifications/initialized'), message(client, 'tools/list')]],
  ['of nothing', () => []],
];

const cancels: [string, object | null][] = [
  ['of nothing', { requestId: 'nothing' }],
  ['of what has ended', { requestId: 1, reason: 'late' }],
  ['of null', { requestId: null }],
  ['without params', null],
];

const spelled: [string, (client: HabitClient) => string][] = [
  ['with white space around it', (client) => `\n  ${JSON.stringify(message(client, 'tools/list'), undefined, 2)}\n`],
  ['with a mark of its byte order', (client) => `\uFEFF${JSON.stringify(message(client, 'tools/list'))}`],
  ['with escaped letters', (client) => JSON.stringify(message(client, 'tools/list')).replace('tools', '\\u0074ools')],
  ['with an unknown member', (client) => JSON.stringify({ ...message(client, 'tools/list'), extra: true })],
  ['that is no JSON', () => '{'],
  ['that is a number', () => '7'],
];

export const HABITS: readonly Habit[] = [
  ...ids.map(([name, id]): Habit => ({ name: `the id is ${name}`, play: (client) => list(client, { id }) })),
  {
    name: 'four requests of one id at once',
    play: (client) => Promise.all(Array.from({ length: 4 }, () => list(client, { id: 'same' }))),
  },
  {
    name: 'eight requests at once',
    play: (client, peer) =>
      Promise.all(
        Array.from({ length: 8 }, (_, id) =>
          id % 2 ? list(client, { id }) : ask(client, 'tools/call', { name: 'echo', arguments: peer.echo }, { id }),
        ),
      ),
  },
  ...nulls.map(
    ([name, params]): Habit => ({ name: `a list with ${name}`, play: (client) => ask(client, 'tools/list', params) }),
  ),
  ...(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const).map(
    (method): Habit => ({ name: method, play: (client) => ask(client, method) }),
  ),
  { name: 'a call', play: (client, peer) => call(client, peer) },
  { name: 'a call with _meta null', play: (client, peer) => call(client, peer, { _meta: null }) },
  { name: 'a call with an unknown member', play: (client, peer) => call(client, peer, { unknown: true }) },
  {
    name: 'a call with 100 kB',
    play: (client, { echo }) => {
      const [name = 'text'] = Object.keys(echo);
      return ask(client, 'tools/call', { name: 'echo', arguments: { [name]: 'x'.repeat(100_000) } });
    },
  },
  { name: 'a call without arguments', play: (client) => ask(client, 'tools/call', { name: 'echo' }) },
  {
    name: 'a call with arguments null',
    play: (client) => ask(client, 'tools/call', { name: 'echo', arguments: null }),
  },
  { name: 'a call of no tool', play: (client) => ask(client, 'tools/call', { name: 'nothing', arguments: {} }) },
  { name: 'a method that nobody has', play: (client) => ask(client, 'nobody/has') },
  ...nulls
    .slice(0, 3)
    .map(([name, params]): Habit => ({ name: `ping with ${name}`, play: (client) => ask(client, 'ping', params) })),
  ...tokens.map(
    ([name, progressToken]): Habit => ({
      name: `progress under ${name}`,
      play: (client, { progress }) => ask(client, 'tools/call', { ...progress, _meta: { progressToken } }),
    }),
  ),
  ...accepts.map(
    ([name, accept]): Habit => ({ name: `accepts ${name}`, play: (client) => list(client, { headers: { accept } }) }),
  ),
  ...types.map(
    ([name, type]): Habit => ({
      name: `a content type ${name}`,
      play: (client) => list(client, { headers: { 'content-type': type } }),
    }),
  ),
  ...revisionHeaders.map(
    ([name, version]): Habit => ({
      name: `a revision in the header that is ${name}`,
      play: (client) => list(client, { headers: { 'mcp-protocol-version': version } }),
    }),
  ),
  ...batches.map(([name, body]): Habit => ({ name: `a batch ${name}`, play: (client) => raw(client, body(client)) })),
  ...cancels.map(
    ([name, params]): Habit => ({
      name: `a cancellation ${name}`,
      play: async (client) => [await raw(client, said('notifications/cancelled', params)), await list(client)],
    }),
  ),
  ...['notifications/initialized', 'notifications/roots/list_changed', 'notifications/nobody/knows'].map(
    (method): Habit => ({ name: `${method} with params null`, play: (client) => raw(client, said(method, null)) }),
  ),
  ...spelled.map(([name, body]): Habit => ({ name: `a body ${name}`, play: (client) => raw(client, body(client)) })),
  {
    name: 'a slash at the end of the address',
    play: async (client) =>
      heard(
        await send(client, { body: message(client, 'tools/list'), path: '/', headers: namedIn(client, 'tools/list') }),
      ),
  },
  ...['PUT', 'PATCH'].map(
    (method): Habit => ({
      name: `the method ${method}`,
      play: async (client) => heard(await send(client, { method, body: {} })),
    }),
  ),
  {
    name: 'no session id',
    needsSession: true,
    play: (client) => list(client, { headers: { 'mcp-session-id': undefined } }),
  },
  {
    name: 'a session id that nobody gave',
    needsSession: true,
    play: (client) => list(client, { headers: { 'mcp-session-id': 'nobody' } }),
  },
  { name: 'a stream that is opened early', needsSession: true, isAlone: true, play: (client) => opens(client) },
  {
    name: 'a stream that is opened late',
    needsSession: true,
    isAlone: true,
    play: async (client, peer) => [await call(client, peer), await opens(client), await list(client)],
  },
  {
    name: 'a stream after a stream',
    needsSession: true,
    isAlone: true,
    play: async (client) => {
      await opens(client);
      return list(client);
    },
  },
  {
    name: 'a stream for JSON',
    needsSession: true,
    isAlone: true,
    play: (client) => opens(client, { accept: 'application/json' }),
  },
  { name: 'the end of a session', needsSession: true, isAlone: true, play: ends },
  {
    name: 'a request after the end of its session',
    needsSession: true,
    isAlone: true,
    play: async (client) => {
      await ends(client);
      return list(client);
    },
  },
  {
    name: 'a session that is opened again',
    needsSession: true,
    isAlone: true,
    play: async (client, peer) => {
      const params = { protocolVersion: client.revision, capabilities: {}, clientInfo: CLIENT_INFO };
      const fresh = { ...client, headers: {} };
      return [await ask(fresh, 'initialize', params), await call(client, peer)];
    },
  },
];
