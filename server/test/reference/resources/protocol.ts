import { type Action, http, type Resource, request } from '../generate/resource.ts';
import type { ConversationStep, HttpStep } from '../generate/step.ts';
import { type Handle, path, Ref, Verbatim } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

/** Literal paths, with methods that do not belong to them. */
const PATHS: readonly (readonly [string, string])[] = [
  ['POST', '/flows'],
  ['GET', '/flow_run_states'],
  ['POST', '/flows/filter/'],
  ['POST', '/events/'],
  ['GET', '/health/'],
  ['GET', '/flows/'],
  ['GET', '/flow_runs/'],
  ['GET', '/flows/filter'],
  ['PUT', '/flows/'],
  ['DELETE', '/flows/'],
  ['PATCH', '/flows/filter'],
  ['OPTIONS', '/flows/'],
  ['HEAD', '/flows/'],
  ['HEAD', '/health'],
  ['POST', '/health'],
  ['GET', '/nope'],
  ['GET', '/nope/'],
  ['POST', '/flows//filter'],
  ['GET', '//health'],
  ['GET', '/'],
  ['GET', ''],
  ['GET', '/flows/./filter'],
  ['GET', '/flows/%2e%2e/health'],
  ['GET', '/flows/name/'],
  ['GET', '/flows/name/a%2Fb'],
  ['GET', '/flows/name/%'],
  ['GET', '/flows/name/%ff'],
  ['GET', '/flows/name/%00'],
  ['GET', '/flows/name/a+b'],
  ['GET', '/FLOWS/'],
  ['GET', '/flows/123'],
  ['DELETE', '/flow_runs/not-an-id'],
  ['GET', '/flow_runs/count'],
  ['POST', '/flow_runs/not-an-id/set_state'],
  ['GET', '/deployments/name/only-one'],
  ['GET', '/artifacts/latest'],
  ['GET', '/variables/name/'],
  ['GET', '/health?x=1&x=2'],
  ['GET', '/flow_run_states/?flow_run_id=1&flow_run_id=2'],
  ['GET', '/flow_run_states/?flow_run_id'],
];

const VERSIONS = [
  '0.8.4',
  '0.8.0',
  '0.7.9',
  '0.7',
  'abc',
  '',
  '1.0.0',
  '0.8.4.1',
  ' 0.8.4 ',
  '-1.0.0',
  '0.8.x',
  '٠.٨.٤',
  '99999999999.0.0',
];

const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/json;',
  'multipart/form-data; boundary=x',
  'json',
  '',
];

/** JSON values in many notations: the answer must contain the same value of the same type. */
const VALUES = [
  '1.0',
  '-0',
  '-0.0',
  '1e5',
  '1E-7',
  '1.10',
  '0.1234567890123456789',
  '1e400',
  'NaN',
  '-Infinity',
  '"\\u00e9\\ud83d\\ude80"',
  '"\\u0000"',
  '"tab\\tnewline\\n"',
  '{"b":1,"a":2,"b":3}',
  '{"":null}',
  '[[[[[[]]]]]]',
  '[1,1.0,true,null,"1"]',
  '9007199254740993',
  '[18446744073709551615]',
  '{"__proto__":{"x":1},"constructor":2}',
];

const RAW_BODIES: readonly (string | Uint8Array)[] = [
  '['.repeat(200) + ']'.repeat(200),
  '['.repeat(100_000),
  `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  '{"limit": 1e2}',
  '{"limit": 1.0}',
  '{"limit": "1"}',
  '{"limit": 99999999999999999999}',
  '{"offset": 9223372036854775807}',
  '{"offset": 9223372036854775808}',
  '{"limit": 01}',
  '{"limit": +1}',
  '{"limit": .5}',
  '{"limit": 0x10}',
  '{"name": "\\x41"}',
  '{"name": "a\\u0000b"}',
  '{"name": "\t"}',
  '{"name": 1}{"name": 2}',
  '\u2028{}',
  new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
];

/**
 * Values that the reference stores and cannot print; sent to routes that store nothing, or to a flow deleted at once.
 */
const POISON = [
  '"nul \\u0000 byte"',
  '"lone \\ud800"',
  '"\\udc00\\ud83d"',
  '123456789012345678901234567890',
  '[18446744073709551616]',
  '1e400',
];

const READING_ROUTES = ['/flows/filter', '/flow_runs/count', '/artifacts/filter', '/logs/filter', '/variables/count'];
const BODY_ROUTES = [
  '/flows/',
  '/flows/filter',
  '/flow_runs/count',
  '/variables/',
  '/logs/',
  '/artifacts/filter',
  '/task_runs/',
];

const HELLO = '{"type":"auth","token":null}';

/** Websockets that are opened wrongly, or that get invalid frames. */
const CONVERSATIONS: readonly ConversationStep[] = [
  converse('/events/in', [], 'silence'),
  converse('/events/in', [HELLO], 'auth only'),
  converse('/events/in', ['{"type":"hello"}'], 'no auth'),
  converse('/events/in', ['not json'], 'no JSON'),
  converse('/events/in', [HELLO, 'not json'], 'an event that is no JSON'),
  converse('/events/in', [HELLO, '{}'], 'an event without fields'),
  converse('/events/in', [HELLO], 'no subprotocol', []),
  converse('/events/in', [HELLO], 'another subprotocol', ['other']),
  converse('/events/nowhere', [HELLO], 'unknown path'),
  converse('/flows/', [HELLO], 'a path of REST'),
  converse('/events/out', [HELLO, '{"type":"nonsense"}'], 'no filter'),
  converse('/events/out', [HELLO, '{"type":"filter","filter":{"nonsense":1}}'], 'unknown criterion'),
  converse('/logs/out', [HELLO, '{"type":"nonsense"}'], 'no filter'),
  converse('/task_runs/subscriptions/scheduled', [HELLO, '{"type":"nonsense"}'], 'no subscribe'),
  converse('/task_runs/subscriptions/scheduled', [HELLO, '{"type":"subscribe"}'], 'no keys'),
  converse('/task_runs/subscriptions/scheduled', [HELLO, '{"type":"subscribe","keys":["k"]}'], 'no client id'),
];

function converse(
  path: string,
  frames: readonly string[],
  note: string,
  subprotocols: readonly string[] = ['prefect'],
): ConversationStep {
  const listenSeconds = 0.7;
  return {
    kind: 'conversation',
    route: 'protocol: websockets',
    note: `${path}: ${note}`,
    path,
    subprotocols,
    frames,
    listenSeconds,
  };
}

/** Requests that proxies, scripts and people send, but no client. */
export const protocol: Resource = {
  name: 'protocol',
  sweep: () => [
    ...PATHS.map(
      ([method, text]) =>
        () =>
          plain(method, text),
    ),
    ...VERSIONS.map((version) => () => withVersion(version)),
    ...CONTENT_TYPES.map((type) => () => withContentType(type)),
    ...CONVERSATIONS.map((conversation) => () => conversation),
    ...RAW_BODIES.map((raw) => () => withRaw('/flows/filter', raw)),
  ],
  actions: [
    request('protocol: paths', 0.5, (world) => plain(...world.random.pick(PATHS))),
    request('protocol: raw bodies', 0.8, (world) =>
      withRaw(world.random.pick(BODY_ROUTES), world.random.pick(RAW_BODIES)),
    ),
    request('protocol: ids', 0.8, idSpelling),
    { routes: ['protocol: values'], weight: 1, steps: roundTrip },
    { routes: ['protocol: values'], weight: 0.3, steps: poison },
    request('protocol: raw bodies', 0.3, (world) =>
      withRaw(world.random.pick(READING_ROUTES), `{"name": ${world.random.pick(POISON)}}`),
    ),
    request('protocol: raw bodies', 0.3, (world) =>
      withRaw('/flows/filter', `{"flows": {"name": {"any_": [${world.random.pick(POISON)}]}}}`),
    ),
    {
      routes: ['protocol: websockets'],
      weight: 0.25,
      *steps(world) {
        yield world.random.pick(CONVERSATIONS);
      },
    },
  ],
};

function plain(method: string, text: string): HttpStep {
  return { ...http(`${method} (protocol: paths)`, { literals: [text], values: [] }), method, route: 'protocol: paths' };
}

function withVersion(version: string): HttpStep {
  const path = { literals: ['/flows/count'], values: [] };
  const headers = { 'x-prefect-api-version': Buffer.from(version).toString('latin1') };
  return {
    ...http('POST /flows/count', path, { headers, body: {} }),
    route: 'protocol: version header',
    note: version,
  };
}

function withContentType(type: string): HttpStep {
  const path = { literals: ['/flows/count'], values: [] };
  const step = http('POST /flows/count', path, { headers: { 'content-type': type }, body: { flows: null } });
  return { ...step, route: 'protocol: content type', note: type };
}

function withRaw(route: string, raw: string | Uint8Array): HttpStep {
  const step = http(`POST ${route}`, { literals: [route], values: [] }, { raw, rows: { limit: 0 }, settle: true });
  return { ...step, route: 'protocol: raw bodies', note: route };
}

/**
 * The same id in the spellings that some libraries accept. The client chooses the ids, because an error quotes them.
 */
function idSpelling(world: World): HttpStep {
  const handle = world.some('task_run', (one) => typeof one.facts.chosen_id === 'string');
  const chosen = String(handle?.facts.chosen_id ?? world.random.uuid());
  const spell = world.random.pick<(id: string) => string>([
    (id) => id.toUpperCase(),
    (id) => id.replaceAll('-', ''),
    (id) => `{${id}}`,
    (id) => `urn:uuid:${id}`,
    (id) => ` ${id}`,
    (id) => `${id}/`,
    (id) => id.slice(0, -1),
    (id) => id.replace('-', ''),
  ]);
  const id = spell(chosen);
  const step = world.random.chance(0.5)
    ? http('GET /task_runs/{id}', path`/task_runs/${id}`)
    : http('POST /task_runs/filter', path`/task_runs/filter`, {
        body: { task_runs: { id: { any_: [id] } } },
        rows: {},
      });
  return { ...step, route: 'protocol: ids', note: id };
}

/**
 * A value that one of the servers may not be able to print, in a run of a separate flow, which is deleted afterwards.
 */
function* poison(world: World): ReturnType<Action['steps']> {
  const value = world.random.pick(POISON);
  const field = world.random.pick(['parameters', 'context', 'labels', 'job_variables']);
  const mine = (step: HttpStep): HttpStep => ({ ...step, route: 'protocol: values', note: `${field}: ${value}` });
  let flow: Handle | undefined;
  yield mine(
    http('POST /flows/', path`/flows/`, {
      body: { name: world.name('poison') },
      learn: (bodies) => {
        flow = world.add('flow', bodies);
        flow?.die();
      },
    }),
  );
  if (!flow) return;
  const id = new Ref(flow);
  const body = { flow_id: id, name: world.name('poison'), [field]: new Verbatim(`{"p":${value}}`) };
  yield mine(http('POST /flow_runs/', path`/flow_runs/`, { body }));
  yield mine(
    http('POST /flow_runs/filter', path`/flow_runs/filter`, { body: { flows: { id: { any_: [id] } } }, rows: {} }),
  );
  yield mine(http('DELETE /flows/{id}', path`/flows/${id}`));
}

/** A JSON value is sent as text and must be returned as the same value: as a variable, as a parameter. */
function* roundTrip(world: World): ReturnType<Action['steps']> {
  const value = world.random.pick(VALUES);
  const name = world.name('value');
  const route = 'protocol: values';
  if (world.random.chance(0.5)) {
    yield {
      ...http('POST /variables/', path`/variables/`, { raw: `{"name":"${name}","value":${value}}` }),
      route,
      note: value,
    };
    yield { ...http('GET /variables/name/{name}', path`/variables/name/${name}`), route, note: value };
    return;
  }
  const flow = world.some('flow');
  if (!flow) return;
  const body = {
    flow_id: new Ref(flow),
    name,
    parameters: new Verbatim(`{"p":${value}}`),
    context: new Verbatim(`{"c":${value}}`),
  };
  const learn: HttpStep['learn'] = (bodies) => world.add('flow_run', bodies, { flow: flow.facts.name ?? null });
  yield { ...http('POST /flow_runs/', path`/flow_runs/`, { body, learn }), route, note: value };
  const run = world.alive('flow_run').at(-1);
  if (run?.facts.name === name) {
    yield { ...http('GET /flow_runs/{id}', path`/flow_runs/${new Ref(run)}`), route, note: value };
  }
}
