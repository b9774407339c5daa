/** Callers of the platform API for tests: each with its own key, created as an operator creates it. */
import assert from 'node:assert/strict';
import type { OrganizationRole } from '../../src/identity/access/access.ts';
import { createKey, createOperatorContext, createUser } from '../../src/platform/operator/operator.ts';
import { type Answer, type databases, startServer, type TestServer, type TestServerOptions } from './server.ts';

export interface PlatformCaller {
  readonly key: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** Sends requests below `/api/v0` as the caller of the headers. */
export function askPlatform(
  server: TestServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return server.request(method, `/api/v0${path}`, body === undefined ? undefined : JSON.stringify(body), {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  });
}

/** A server and the administrator of its default organization. */
export async function startPlatform(
  database: (typeof databases)[number],
  options: Pick<TestServerOptions, 'config' | 'onLogLine'> = {},
) {
  const server = await startServer({ ...options, database });
  return { server, admin: await person(server, 'ada@example.com', 'admin') };
}

/** Invites an address to the default organization and accepts with a password; returns the acceptance and its token. */
export async function joinByInvitation(
  server: TestServer,
  admin: PlatformCaller,
  email: string,
  password: string,
  role: OrganizationRole = 'member',
): Promise<Answer & { readonly token: string }> {
  const invited = await admin.post('/organizations/default/invitations', { email, role });
  const { token } = invited.body as { token: string };
  const accepted = await askPlatform(server, 'POST', `/invitations/${token}/accept`, { password, name: 'Someone' });
  assert.equal(accepted.status, 200);
  return { ...accepted, token };
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** The holder of this key as a caller below `/api/v0`. */
export function callerWith(server: TestServer, key: string): PlatformCaller {
  const send = (method: string, path: string, body?: unknown) =>
    askPlatform(server, method, path, body, { authorization: `Bearer ${key}` });
  return {
    key,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  };
}

/** A person with this role in an organization (the default one unless named). */
export async function person(
  server: TestServer,
  email: string,
  role: OrganizationRole,
  organization = 'default',
): Promise<PlatformCaller & { readonly id: string }> {
  const context = createOperatorContext(server.server.store, server.server.clock.now(), server.server);
  const { id } = await createUser(context, { email, name: null, organization, role });
  const { secret } = await createKey(context.change, { user: email }, { descriptor: 'test' });
  return { id, ...callerWith(server, secret) };
}
