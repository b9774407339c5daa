/** People, MCP servers and real calls through the gateway, for the pages of servers and requests. */
import { expect, type Page } from '@playwright/test';
import type { RunningServer } from '../running-server.ts';
import { type RunningMcpServer, startMcpServer } from './mcp-server.ts';

export const password = 'a long enough password';

export interface Person {
  readonly email: string;
  readonly id: string;
  readonly key: string;
}

export interface FilledServers {
  /** `grace` administers the organization, `bob` is a member. Both sign in with `password`. */
  readonly grace: Person;
  readonly bob: Person;
  readonly upstream: RunningMcpServer;
  /** Signs the person in without the page for it. */
  signIn(page: Page, person: Person): Promise<void>;
  /** Calls the platform API as the first administrator. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Calls a tool of a server with a key; resolves with the status. */
  call(server: string, tool: string, key: string, given?: object): Promise<number>;
}

export const organization = '/organizations/default';

export async function fillServers(server: RunningServer): Promise<FilledServers> {
  await server.command('users', 'create', '--email', 'ada@example.com', '--role', 'admin');
  const key = (await server.command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test')).trim();
  const upstream = await startMcpServer();
  const ask = (method: string, path: string, body?: unknown) => send(server.url, key, method, path, body);
  const call = (slug: string, tool: string, caller: string, given: object = {}) =>
    callTool(`${server.url}/servers/default/${slug}/mcp`, caller, tool, given);
  const grace = await join(server, ask, 'grace@example.com', 'admin');
  const bob = await join(server, ask, 'bob@example.com', 'member');
  const add = (slug: string, name: string, fields: object) =>
    ask('POST', `${organization}/servers`, { slug, name, kind: 'external', defaultRole: 'viewer', ...fields });
  await add('documents', 'Documents', {
    description: 'Searches and keeps the documents of the team.',
    external: { url: upstream.url, credential: { kind: 'bearer', secret: 'upstream-secret' } },
  });
  await add('payroll', 'Payroll', {
    defaultRole: null,
    visibility: 'concealed',
    external: { url: upstream.url },
  });
  await add('weather', 'Weather', { defaultRole: null, external: { url: 'http://127.0.0.1:9/mcp' } });
  await add('tickets', 'Tickets', {
    external: { url: upstream.url },
    personalCredential: { kind: 'key', help: 'Make a key under Settings, API keys, in the ticket system.' },
  });
  await ask('PUT', `${organization}/servers/documents/policy`, {
    rules: [
      { role: 'viewer', capability: 'tool', pattern: '*', effect: 'allow' },
      { role: 'viewer', capability: 'tool', pattern: 'delete_*', effect: 'deny' },
      { role: 'viewer', capability: 'resource', pattern: 'docs://*', effect: 'allow' },
    ],
  });
  for (let index = 0; index < 12; index++) {
    await call('documents', 'search_documents', bob.key, { query: 'invoice' });
    await call('documents', 'add_numbers', index % 3 === 0 ? grace.key : bob.key, { left: index, right: 2 });
  }
  await call('documents', 'delete_document', bob.key, { id: 'd-4' });
  await call('weather', 'forecast', grace.key);
  const signIn = async (page: Page, { email }: Person) => {
    const answer = await page.request.post(`${server.url}/api/v0/session`, { data: { email, password } });
    expect(answer.ok()).toBe(true);
  };
  return { grace, bob, upstream, signIn, ask, call };
}

type Ask = FilledServers['ask'];

async function join(server: RunningServer, ask: Ask, email: string, role: string): Promise<Person> {
  const invited = await ask('POST', `${organization}/invitations`, { email, role });
  const { token } = invited.body as { token: string };
  await ask('POST', `/invitations/${token}/accept`, { password, name: null });
  const members = await ask('GET', `${organization}/members`);
  const { items } = members.body as { items: { id: string; email: string }[] };
  const key = (await server.command('keys', 'create', '--user', email, '--descriptor', 'test')).trim();
  return { email, id: items.find((one) => one.email === email)?.id ?? '', key };
}

async function send(url: string, key: string, method: string, path: string, body: unknown) {
  const isInvitation = path.startsWith('/invitations/');
  const response = await fetch(`${url}/api/v0${path}`, {
    method,
    headers: {
      ...(isInvitation ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

async function callTool(url: string, key: string, name: string, given: object): Promise<number> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'fill', version: '1.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given, _meta: meta },
    }),
  });
  await response.arrayBuffer();
  return response.status;
}
