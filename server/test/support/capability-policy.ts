/**
 * Random policies over prompts and resources, and requests that use them, in both eras of the protocol, against a watched
 * MCP server; and what that server tells clients on its own account.
 */
import assert from 'node:assert/strict';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { send, startGateway } from './gateway.ts';
import { modelAllows, type PolicyCase, setPolicy, type Who } from './policy-model.ts';
import type { Answer } from './server.ts';
import { offered } from './watched-upstream.ts';

type Kind = 'prompt' | 'resource';

const NAMES = {
  prompt: [...offered.prompts, 'Greet', 'greet ', 'ｇreet', 'secret%5fprompt', '__proto__'],
  resource: [
    ...[...offered.resources, ...offered.resourceTemplates],
    ...['MEM://closed/1', 'mem://closed/%31', 'mem://open/../closed/1', 'mem:///closed/1', 'mem://closed/1#x', ''],
  ],
} as const;
const PATTERNS = {
  prompt: ['*', 'g*', '*prompt', 'greet', 'secret_prompt'],
  resource: ['*', 'mem://open/*', 'mem://*/1', 'mem://closed/1', 'mem://open/{id}'],
} as const;

/** How a request names what it uses. */
const USES = {
  'prompts/get': { kind: 'prompt', paramsOf: (name: string) => ({ name }), isModern: true },
  'resources/read': { kind: 'resource', paramsOf: (uri: string) => ({ uri }), isModern: true },
  'resources/subscribe': { kind: 'resource', paramsOf: (uri: string) => ({ uri }), isModern: false },
  'resources/unsubscribe': { kind: 'resource', paramsOf: (uri: string) => ({ uri }), isModern: false },
  'completion/complete of a prompt': {
    kind: 'prompt',
    paramsOf: (name: string) => ({ ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: 'b' } }),
    isModern: true,
  },
  'completion/complete of a resource': {
    kind: 'resource',
    paramsOf: (uri: string) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'a', value: 'b' } }),
    isModern: true,
  },
} as const satisfies Record<
  string,
  { kind: Kind; paramsOf: (name: string) => Record<string, unknown>; isModern: boolean }
>;
type Use = keyof typeof USES;

const LISTS = {
  'prompts/list': { kind: 'prompt', property: 'prompts', key: 'name', all: offered.prompts },
  'resources/list': { kind: 'resource', property: 'resources', key: 'uri', all: offered.resources },
  'resources/templates/list': {
    kind: 'resource',
    property: 'resourceTemplates',
    key: 'uriTemplate',
    all: offered.resourceTemplates,
  },
} as const satisfies Record<string, { kind: Kind; property: string; key: string; all: readonly string[] }>;

/** Requests that two readers could take for different ones; none of them may pass where a policy restricts. */
const TWISTED = ['notification', 'name twice', 'method twice', 'other spelling', 'unknown method'] as const;

interface UseCase {
  readonly use: Use;
  readonly name: string;
  readonly other: string;
  readonly form: 'legacy' | 'modern' | (typeof TWISTED)[number];
}

const kinds = fc.constantFrom<Kind>('prompt', 'resource');
const rule: fc.Arbitrary<PolicyCase> = kinds.chain((capability) =>
  fc.record({
    capability: fc.constant(capability),
    level: fc.constantFrom('viewer', 'viewer', 'viewer', 'editor', 'actor', 'other'),
    pattern: fc.constantFrom<string>(...PATTERNS[capability]),
    effect: fc.constantFrom('allow', 'allow', 'deny'),
  }),
);
const use: fc.Arbitrary<UseCase> = fc.constantFrom(...(Object.keys(USES) as Use[])).chain((one) => {
  const { kind, isModern } = USES[one];
  const name = fc.constantFrom<string>(...NAMES[kind]);
  const honest = isModern ? (['legacy', 'modern'] as const) : (['legacy'] as const);
  const form = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...honest) }, fc.constantFrom(...TWISTED));
  return fc.record({ use: fc.constant(one), name, other: name, form });
});
const policyAndUses = fc.record({
  rules: fc.array(rule, { maxLength: 6 }),
  who: fc.constantFrom<Who>('viewer', 'viewer', 'editor', 'admin'),
  uses: fc.array(use, { minLength: 4, maxLength: 10 }),
});

export interface CapabilityFigures {
  readonly policies: number;
  readonly requests: number;
  readonly refused: number;
  /** Notifications of the server about a resource: those that it sent, and those that the client got. */
  readonly sent: number;
  readonly got: number;
}

/** Throws at the first request for which the gateway does otherwise than the model, with the seed to repeat it. */
export async function tryCapabilities(database: 'sqlite' | 'postgres', policies: number): Promise<CapabilityFigures> {
  const gateway = await startGateway({ database });
  const figures = { policies, requests: 0, refused: 0, sent: 0, got: 0 };
  try {
    const actor = await gateway.member('member@example.com');
    const other = await gateway.member('other@example.com');
    for (const role of ['viewer', 'editor']) {
      assert.equal((await gateway.register(role, { defaultRole: role })).status, 201);
    }
    const property = fc.asyncProperty(policyAndUses, async ({ rules, who, uses }) => {
      const slug = who === 'editor' ? 'editor' : 'viewer';
      await setPolicy(gateway, slug, rules, actor, other);
      const key = who === 'admin' ? gateway.admin.key : actor.key;
      const allows = (kind: Kind, name: string) => modelAllows(rules, who, kind, name);
      const isRestricted = rules.length > 0 && who !== 'admin';
      const ask = async (body: string, headers: Record<string, string> = {}) => {
        gateway.upstream.seen.length = 0;
        figures.requests += 1;
        const answer = await send(gateway, slug, body, { key, headers });
        if (answer.status >= 400) figures.refused += 1;
        return { answer, forwarded: gateway.upstream.seen.length };
      };
      for (const one of uses) {
        const { body, headers } = written(one);
        checkUse(one, await ask(body, headers), { isRestricted, isAllowed: allows(USES[one.use].kind, one.name) });
      }
      for (const [method, { kind, property: list, key: by, all }] of Object.entries(LISTS)) {
        const { answer } = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
        const names = answer.body.result[list].map((item: Record<string, string>) => item[by]);
        assert.deepEqual(
          names,
          all.filter((name) => allows(kind, name)),
          method,
        );
      }
      // The server tells of every resource, in spellings that a filter could miss.
      const events = offered.resources.flatMap((uri) => updatesOf(uri).map((text) => ({ uri, text })));
      gateway.upstream.answerWith((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const { text } of events) response.write(`data: ${text}\n\n`);
        response.end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
      });
      const { answer } = await ask('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      gateway.upstream.answerWith(undefined);
      figures.sent += events.length;
      for (const uri of offered.resources) {
        const got = answer.text.split(JSON.stringify(uri).slice(1, -1)).length - 1;
        figures.got += got;
        if (!allows('resource', uri)) assert.equal(got, 0, `${uri} in ${answer.text}`);
        else assert.ok(got >= 1, `${uri} is missing in ${answer.text}`);
      }
    });
    await fc.assert(property, { numRuns: policies });
    return figures;
  } finally {
    await gateway.stop();
  }
}

function checkUse(
  one: UseCase,
  { answer, forwarded }: { readonly answer: Answer; readonly forwarded: number },
  { isRestricted, isAllowed }: { readonly isRestricted: boolean; readonly isAllowed: boolean },
): void {
  const what = `${JSON.stringify(one)}: ${answer.status} ${answer.text.slice(0, 200)}`;
  if (one.form === 'legacy' || one.form === 'modern') {
    assert.equal(forwarded, isAllowed ? 1 : 0, what);
    assert.equal(answer.status, isAllowed ? 200 : 403, what);
  } else if (one.form === 'other spelling' || one.form === 'unknown method') {
    // A server decides about them where nothing is denied.
    if (isRestricted) assert.equal(forwarded, 0, what);
  } else {
    assert.equal(forwarded, 0, what);
    assert.ok(answer.status >= 400 && answer.status < 500, what);
  }
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT = { 'io.modelcontextprotocol/clientCapabilities': {} };

function written({ use: one, name, other, form }: UseCase): { body: string; headers: Record<string, string> } {
  const method = one.split(' ')[0] ?? '';
  const { paramsOf } = USES[one];
  const params = JSON.stringify(paramsOf(name)).slice(1, -1);
  const doubled = JSON.stringify(paramsOf(other)).slice(1, -1);
  const message = (called: string, members: string) =>
    `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(called)},"params":{${members}}}`;
  switch (form) {
    case 'modern': {
      const meta = JSON.stringify({ [VERSION]: '2026-07-28', ...CLIENT });
      const isNamed = method !== 'completion/complete';
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
      return {
        body: message(method, `${params},"_meta":${meta}`),
        headers: isNamed ? { ...headers, 'mcp-name': inBase64(name) } : headers,
      };
    }
    case 'notification':
      return { body: `{"jsonrpc":"2.0","method":"${method}","params":{${params}}}`, headers: {} };
    case 'name twice':
      return { body: message(method, `${params},${doubled}`), headers: {} };
    case 'method twice':
      return {
        body: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"${method}","params":{${params}}}`,
        headers: {},
      };
    case 'other spelling':
      return { body: message(` ${method.toUpperCase()}`, params), headers: {} };
    case 'unknown method':
      return { body: message(`${method}/all`, params), headers: {} };
    default:
      return { body: message(method, params), headers: {} };
  }
}

function inBase64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The notification that a resource has changed: plain, and with escapes that JSON allows. */
function updatesOf(uri: string): string[] {
  const params = JSON.stringify({ uri });
  return [
    `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":${params}}`,
    `{"jsonrpc":"2.0","method":"notifications\\/resources\\/updated","params":${params}}`,
    `{"jsonrpc":"2.0","method":"notifications/resources/upd\\u0061ted","params":${params}}`,
    `{"jsonrpc":"2.0","\\u006dethod":"notifications/resources/updated","params":${params}}`,
  ];
}
