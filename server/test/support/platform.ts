/** Callers of the platform API for tests: each with a key of its own, made as an operator makes it. */
import type { OrganizationRole } from '../../src/identity/access.ts';
import { createKey, createUser } from '../../src/platform/operator.ts';
import type { Answer, TestServer } from './server.ts';

export interface PlatformCaller {
  readonly key: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** Whoever holds this key, below `/api/v0`. */
export function callerWith(server: TestServer, key: string): PlatformCaller {
  const send = (method: string, path: string, body?: unknown) =>
    server.request(method, `/api/v0${path}`, body === undefined ? undefined : JSON.stringify(body), {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
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
  const context = { store: server.server.store, now: server.server.clock.now() };
  const { id } = await createUser(context, { email, name: null, organization, role });
  const { secret } = await createKey(context, { user: email }, 'test');
  return { id, ...callerWith(server, secret) };
}
