/**
 * Actors with few rights send random requests, each body with fields that would give them more. No actor gains a role.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformRoutes } from '../../src/app.ts';
import { ConfigError } from '../../src/errors.ts';
import { createOperatorContext } from '../../src/platform/operator/operator.ts';
import { createOrganization } from '../../src/platform/operator/organizations.ts';
import { listUsers, removeUser } from '../../src/platform/operator/users.ts';
import { callerWith, type PlatformCaller, person } from '../support/platform.ts';
import { databases, startServer } from '../support/server.ts';
import { count, report } from './harness.ts';

const REQUESTS = count(1500, 100_000);
const ROUNDS = count(30, 1000);
/** Shown with a failure, so that the sequence can be sent again. */
const SEED = 20_260_101;

for (const database of databases) {
  test(`on ${database}, no sequence of requests gives an actor what it was not granted`, async () => {
    const server = await startServer({ database });
    const ada = await person(server, 'ada@example.com', 'admin');
    const eve = await person(server, 'eve@example.com', 'member');
    const vic = await person(server, 'vic@example.com', 'member');
    const org = '/organizations/default';
    const made = (await ada.post(`${org}/service-accounts`, { name: 'ci', descriptor: 'x', role: 'member' })).body;
    const workspace = (await ada.post(`${org}/workspaces`, { name: 'Secret', handle: 'secret' })).body;
    const granted = await ada.put(`${org}/workspaces/${workspace.id}/grants/${vic.id}`, { role: 'viewer' });
    assert.ok(granted.status < 300, granted.text);
    const actors: PlatformCaller[] = [eve, vic, callerWith(server, made.secret)];
    const ids = [ada.id, eve.id, vic.id, made.serviceAccount.id, workspace.id];
    const standing = async () => ({
      members: (await ada.get(`${org}/members`)).body.items.map((one: Record<string, unknown>) => [
        one['id'],
        one['role'],
      ]),
      accounts: (await ada.get(`${org}/service-accounts`)).body.items.map((one: Record<string, unknown>) => [
        one['id'],
        one['role'],
        one['state'],
      ]),
      grants: (await ada.get(`${org}/workspaces/${workspace.id}/grants`)).body.items.map(
        (one: Record<string, unknown>) => [one['actorId'], one['role']],
      ),
      invitations: (await ada.get(`${org}/invitations`)).body.items.length,
    });
    const before = await standing();
    const random = randomFrom(SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const changes = platformRoutes.filter(
      ({ method, path }) => method !== 'GET' && path.startsWith('/organizations/{org}'),
    );
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < REQUESTS; sent++) {
      const { method, path } = pick(changes);
      const address = path.replace('{org}', 'default').replaceAll(/\{\w+\}/g, () => pick(ids));
      const body = method === 'DELETE' ? undefined : bodyOf(pick, ids);
      const answer = await send(pick(actors), method, address, body);
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
      assert.ok(answer < 500, `${method} ${address} (seed ${SEED}, request ${sent}): ${answer}`);
    }
    assert.deepEqual(await standing(), before, `seed ${SEED}`);
    report({
      test: '29',
      name: `changes by limited actors (${database})`,
      value: `${REQUESTS}; 0 roles gained; ${JSON.stringify([...statuses])}`,
    });
    await server.stop();
  });
}

for (const database of databases) {
  test(`on ${database}, administrators who end each other at once leave one`, async (t) => {
    const server = await startServer({ database });
    t.after(() => server.stop());
    const context = () => createOperatorContext(server.server.store, server.server.clock.now(), server.server);
    let kept = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const slug = `org-${round}`;
      const emails = [0, 1, 2].map((index) => `admin-${index}-${round}@example.com`);
      await createOrganization(context(), { slug, name: slug, admin: undefined });
      const people = await Promise.all(emails.map((email) => person(server, email, 'admin', slug)));
      // Each ends the next, so that together they would end all; by a request or, one of them, by a command.
      const ends = people.map((one, index) => {
        const next = (index + 1) % people.length;
        const member = `/organizations/${slug}/members/${people[next]!.id}`;
        const ways = [
          () => one.patch(member, { role: 'member' }),
          () => one.delete(member),
          () => removeUser(context(), emails[next]!).catch(ignoreRefusal),
        ];
        return ways[(round + index) % ways.length]!();
      });
      await Promise.all(ends);
      const users = await listUsers(context());
      const left = users.filter(({ organizations }) =>
        organizations.some((one) => one.slug === slug && one.role === 'admin'),
      );
      assert.ok(left.length > 0, `round ${round}`);
      kept += left.length;
    }
    report({
      test: '29',
      name: `administrators who end each other at once (${database})`,
      value: `${ROUNDS} rounds with 3; ${kept} left, at least 1 each time`,
    });
  });
}

/** The command refuses to remove the last administrator, and a person who is gone. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ConfigError)) throw error;
}

/** A body with every field that could hold a right, and those that a route may ask for. */
function bodyOf(pick: <T>(from: readonly T[]) => T, ids: readonly string[]): object {
  const name = `n${pick(ids).slice(-6)}`;
  const plain = { name, handle: name, slug: name, email: `${name}@example.com`, descriptor: name, description: '' };
  const rights = { role: 'admin', defaultRole: 'admin', state: 'active', visibility: 'discoverable' };
  const hidden = {
    organizationRole: 'admin',
    isAdmin: true,
    organizationId: pick(ids),
    ownerId: pick(ids),
    userId: pick(ids),
  };
  return pick([
    { role: 'admin' },
    { ...plain, role: 'admin' },
    { ...plain, ...rights },
    { ...plain, ...rights, ...hidden },
  ]);
}

async function send(actor: PlatformCaller, method: string, path: string, body: object | undefined): Promise<number> {
  if (method === 'DELETE') return (await actor.delete(path)).status;
  if (method === 'PUT') return (await actor.put(path, body)).status;
  if (method === 'PATCH') return (await actor.patch(path, body)).status;
  return (await actor.post(path, body)).status;
}

/** The same numbers for the same seed. Source: mulberry32, which is in the public domain. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
