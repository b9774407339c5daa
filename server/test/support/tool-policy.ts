/**
 * Random capability policies and tool calls, honest and not, against a watched MCP server. A model that shares no code
 * with the gateway decides what may reach it. Calls that reach it are read as the most lenient server would read them.
 */
import assert from 'node:assert/strict';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { send, startGateway } from './gateway.ts';
import { modelAllows, type PolicyCase, setPolicy, type Who } from './policy-model.ts';
import type { Answer } from './server.ts';

/**
 * With names that look alike, differ in case, or contain characters that JSON, patterns and headers treat specially.
 */
const TOOLS = [
  'echo',
  'Echo',
  'ECHO',
  'есho',
  'ｅcho',
  'echo ',
  'read_file',
  'delete_file',
  'Delete_File',
  'ﬁle',
  'é',
  'e\u0301',
  'a*b',
  '"quoted"',
  'back\\slash',
  '=?base64?ZWNobw==?=',
  '__proto__',
  'constructor',
];
const GLOBS = ['*', '?cho', '*_file', 'e*', '*e*', 'delete*', '????'];

/** The forms of a call. `honest`: as a client sends it; `twisted`: two readers could read it differently. */
const HONEST = ['request', 'escaped', 'task', 'modern', 'headers', 'encoded'] as const;
const TWISTED = [
  'notification',
  'other header name',
  'other header method',
  'name twice',
  'name twice, escaped',
  'method twice',
  'params twice',
  'key in capitals',
  'key in wide letters',
  'method key in capitals',
] as const;
const ALIASES = [
  'Tools/Call',
  'TOOLS/CALL',
  'tools/call ',
  'ｔools/call',
  'tools/call/x',
  'tools/сall',
  ' tools/call',
] as const;

interface OneTool {
  readonly form: (typeof HONEST)[number] | (typeof TWISTED)[number];
  readonly name: string;
  readonly other: string;
}

type CallCase =
  | OneTool
  | { readonly form: 'alias'; readonly method: string; readonly name: string }
  | { readonly form: 'batch' | 'batch with a notification'; readonly names: readonly string[] }
  | { readonly form: 'unnamed'; readonly value: unknown }
  | { readonly form: 'list' };

const tool = fc.constantFrom(...TOOLS);
const rule: fc.Arbitrary<PolicyCase> = fc.record({
  capability: fc.constant('tool' as const),
  level: fc.constantFrom('viewer', 'viewer', 'viewer', 'editor', 'actor', 'other'),
  pattern: fc.oneof(tool, fc.constantFrom(...GLOBS), fc.constant('no_such_tool')),
  effect: fc.constantFrom('allow', 'allow', 'deny'),
});
const call: fc.Arbitrary<CallCase> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ form: fc.constantFrom(...HONEST), name: tool, other: tool }) },
  { weight: 6, arbitrary: fc.record({ form: fc.constantFrom(...TWISTED), name: tool, other: tool }) },
  {
    weight: 2,
    arbitrary: fc.record({ form: fc.constant('alias' as const), method: fc.constantFrom(...ALIASES), name: tool }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      form: fc.constantFrom('batch' as const, 'batch with a notification' as const),
      names: fc.array(tool, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      form: fc.constant('unnamed' as const),
      value: fc.constantFrom(null, 1, true, ['echo'], { name: 'echo' }, undefined),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ form: 'list' as const }) },
);
const policyAndCalls = fc.record({
  rules: fc.array(rule, { maxLength: 6 }),
  who: fc.constantFrom<Who>('viewer', 'viewer', 'editor', 'admin'),
  calls: fc.array(call, { minLength: 4, maxLength: 10 }),
});

export interface PolicyFigures {
  readonly policies: number;
  readonly calls: number;
  readonly refused: number;
}

/** Throws at the first policy and call for which the gateway differs from the model, with the seed to repeat it. */
export async function tryPolicies(database: 'sqlite' | 'postgres', policies: number): Promise<PolicyFigures> {
  const gateway = await startGateway({ database, answers: { tools: TOOLS } });
  let calls = 0;
  let refused = 0;
  try {
    const actor = await gateway.member('member@example.com');
    const other = await gateway.member('other@example.com');
    for (const role of ['viewer', 'editor']) {
      assert.equal((await gateway.register(role, { defaultRole: role })).status, 201);
    }
    const property = fc.asyncProperty(policyAndCalls, async (given) => {
      const slug = given.who === 'editor' ? 'editor' : 'viewer';
      await setPolicy(gateway, slug, given.rules, actor, other);
      const key = given.who === 'admin' ? gateway.admin.key : actor.key;
      const allows = (name: string) => modelAllows(given.rules, given.who, 'tool', name);
      const isRestricted = given.rules.length > 0 && given.who !== 'admin';
      // A list shows the policy's decision for every tool.
      for (const one of [...given.calls, { form: 'list' } as const]) {
        calls += 1;
        gateway.upstream.seen.length = 0;
        const { body, headers } = written(one);
        const answer = await send(gateway, slug, body, { key, headers });
        const reached = gateway.upstream.seen.flatMap(({ body: text }) => namesReadIn(text));
        for (const name of reached) assert.ok(allows(name), `${name} reached the server by ${body}`);
        if (answer.status >= 400) refused += 1;
        check(one, { answer, reached, allows, isRestricted, forwarded: gateway.upstream.seen.length });
      }
    });
    await fc.assert(property, { numRuns: policies });
    return { policies, calls, refused };
  } finally {
    await gateway.stop();
  }
}

interface Outcome {
  readonly answer: Answer;
  /** Names of tools that a lenient reader finds in the received requests. */
  readonly reached: readonly string[];
  readonly forwarded: number;
  readonly isRestricted: boolean;
  allows(name: string): boolean;
}

function check(one: CallCase, { answer, reached, allows, isRestricted, forwarded }: Outcome): void {
  const what = JSON.stringify(one);
  const nothing = () => {
    assert.equal(forwarded, 0, what);
    assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status}`);
  };
  switch (one.form) {
    case 'list': {
      const names = answer.body.result.tools.map(({ name }: { name: string }) => name);
      assert.deepEqual(names, TOOLS.filter(allows), what);
      return;
    }
    case 'batch':
      if (one.names.every(allows)) assert.deepEqual(reached, one.names, what);
      else nothing();
      return;
    case 'alias':
    case 'unnamed':
      // The server decides about them where nothing is denied.
      if (isRestricted) assert.equal(forwarded, 0, what);
      return;
    case 'request':
    case 'escaped':
    case 'task':
    case 'modern':
    case 'headers':
    case 'encoded':
      if (allows(one.name)) {
        assert.deepEqual(reached, [one.name], what);
        assert.equal(answer.status, 200, what);
      } else {
        nothing();
        assert.equal(answer.status, 403, what);
      }
      return;
    default:
      nothing();
  }
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT = { 'io.modelcontextprotocol/clientCapabilities': {} };

function written(one: CallCase): { body: string; headers: Record<string, string> } {
  const bodyOnly = (body: string) => ({ body, headers: {} });
  switch (one.form) {
    case 'list':
      return bodyOnly('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    case 'batch':
    case 'batch with a notification': {
      const messages = one.names.map((name, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } }));
      if (one.form !== 'batch') delete (messages.at(-1) as { id?: number }).id;
      return { body: JSON.stringify(messages), headers: { 'mcp-protocol-version': '2025-03-26' } };
    }
    case 'alias':
      return bodyOnly(JSON.stringify({ jsonrpc: '2.0', id: 1, method: one.method, params: { name: one.name } }));
    case 'unnamed':
      return bodyOnly(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: one.value } }));
    default:
      return writtenCall(one);
  }
}

function writtenCall(one: OneTool): { body: string; headers: Record<string, string> } {
  const plain = (members: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${members}}}`;
  const bodyOnly = (body: string) => ({ body, headers: {} });
  const name = JSON.stringify(one.name);
  const other = JSON.stringify(one.other);
  switch (one.form) {
    case 'request':
      return bodyOnly(plain(`"name":${name}`));
    case 'escaped':
      return bodyOnly(plain(`"\\u006eame":"${[...one.name].map(escaped).join('')}"`));
    case 'task':
      return { body: plain(`"name":${name},"task":{}`), headers: { 'mcp-protocol-version': '2025-11-25' } };
    case 'modern':
      return {
        body: plain(`"name":${name},"_meta":${JSON.stringify({ [VERSION]: '2026-07-28', ...CLIENT })}`),
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': inHeader(one.name) },
      };
    case 'headers':
      return { body: plain(`"name":${name}`), headers: { 'mcp-method': 'tools/call', 'mcp-name': inHeader(one.name) } };
    case 'encoded':
      return { body: plain(`"name":${name}`), headers: { 'mcp-name': inBase64(one.name) } };
    case 'notification':
      return bodyOnly(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":${name}}}`);
    case 'other header name':
      return { body: plain(`"name":${name}`), headers: { 'mcp-name': inHeader(`${one.other}2`) } };
    case 'other header method':
      return { body: plain(`"name":${name}`), headers: { 'mcp-method': 'tools/list' } };
    case 'name twice':
      return bodyOnly(plain(`"name":${name},"name":${other}`));
    case 'name twice, escaped':
      return bodyOnly(plain(`"name":${name},"n\\u0061me":${other}`));
    case 'method twice':
      return bodyOnly(`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":${name}}}`);
    case 'params twice':
      return bodyOnly(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${name}},"params":{"name":${other}}}`,
      );
    case 'key in capitals':
      return bodyOnly(plain(`"name":${name},"Name":${other}`));
    case 'key in wide letters':
      return bodyOnly(plain(`"name":${name},"ｎame":${other}`));
    case 'method key in capitals':
      return bodyOnly(`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":${name}}}`);
  }
}

/** Each code unit in the escaped spelling of JSON. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function inBase64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function inHeader(text: string): string {
  return /^[\w*]+$/.test(text) ? text : inBase64(text);
}

/** Every name in a text that calls a tool for a reader that ignores case, width and repeated keys. */
function namesReadIn(text: string): string[] {
  const members = [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"/gs)].map(([, key, value]) => ({
    key: folded(JSON.parse(`"${key}"`)),
    value: JSON.parse(`"${value}"`) as string,
  }));
  const calls = members.some(({ key, value }) => key === 'method' && folded(value).trim() === 'tools/call');
  return calls ? members.flatMap(({ key, value }) => (key === 'name' ? [value] : [])) : [];
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
