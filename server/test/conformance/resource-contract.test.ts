/**
 * What every resource of both APIs promises: an object that does not exist is answered with its sentence on every route
 * that names one, a taken name changes nothing, and each change is recorded once. The tables say how for each resource.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { accountRoutes, platformRoutes, routes } from '../../src/app.ts';
import type { StoredEvent } from '../../src/changes/hub.ts';
import { platformQuery } from '../../src/database/statement.ts';
import { listWorkspaces } from '../../src/database/workspaces.ts';
import { type Document, Holes } from '../support/holes.ts';
import { type PlatformCaller, person } from '../support/platform.ts';
import { type Answer, databases, startServer, type TestServer } from '../support/server.ts';
import { makeWorld, ownObjectIn, type World } from '../support/worlds.ts';
import { organizationResources } from './resource-contract/organization.ts';
import type { Changes, Recorded, Refusal, Resource } from './resource-contract/resource.ts';
import { workspaceResources } from './resource-contract/workspace.ts';

const resources = [...workspaceResources, ...organizationResources];

/** Addresses that no row asks for, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  '/events/count-by/{countable}': 'names a unit, not an object',
  '/automations/related-to/{resource_id}': 'lists the automations of any resource, known or not',
  '/automations/owned-by/{resource_id}': 'deletes the automations of any resource, known or not',
  '/me/sessions/{sessionId}': 'needs a person who has signed in: me/account.test.ts',
  '/invitations/{token}': 'needs a person in a browser: sessions/sessions.test.ts',
};

interface Request {
  readonly method: string;
  /** As declared. */
  readonly path: string;
  /** The beginning of the path, to the end of the segment that names the object. */
  readonly address: string;
}

/** Every route once for each object that it names. */
const requests: readonly Request[] = [...routes, ...platformRoutes, ...accountRoutes].flatMap(({ method, path }) =>
  [...path.matchAll(/\{\w+\}/g)].map(({ 0: hole, index }) => ({
    method,
    path,
    address: path.slice(0, index + hole.length),
  })),
);

const prefixes = new Map<string, (world: World) => string>([
  ...routes.map(({ path }) => [path, ({ hosted }: World) => hosted] as const),
  ...platformRoutes.map(({ path }) => [path, () => '/api/v0'] as const),
  ...accountRoutes.map(({ path }) => [path, () => '/api'] as const),
]);

const auditEntries = platformQuery<
  object,
  { id: string; action: string; target_type: string; target_id: string | null }
>(() => sql`select id, action, target_type, target_id from audit_entry order by id`);

/** The values that name an object in an address. */
type Keys = (address: string) => readonly string[];

// biome-ignore lint/suspicious/noExplicitAny: the object of an answer, whose form is its resource's own
type Made = any;

/** An id or a name that no object has, or both where the address takes both. */
function absentIn(address: string): readonly string[] {
  const { parameters } = [...routes, ...platformRoutes].find(({ path }) => path.startsWith(address)) ?? {};
  const kind = JSON.stringify(parameters?.[parameterAt(address)] ?? 'text');
  return [...(kind.includes('uuid') ? [crypto.randomUUID()] : []), ...(/"text"|anyOf/.test(kind) ? ['absent'] : [])];
}

function keysOf(made: Made, name: string): Keys {
  return (address) => {
    const parameter = parameterAt(address);
    if (parameter === 'id_or_name') return [made.id, name];
    return [made?.[parameter] ?? (/id$|^org$/i.test(parameter) ? made.id : name)];
  };
}

const parameterAt = (address: string) => /\{(\w+)\}$/.exec(address)?.[1] ?? '';

test('every route that names an object belongs to a resource or is an exception with a reason', () => {
  const owners = new Map<string, string[]>();
  for (const { name, addresses } of resources) {
    for (const address of addresses) owners.set(address, [...(owners.get(address) ?? []), name]);
  }
  const addresses = new Set(requests.map(({ address }) => address));
  const known = [...owners.keys(), ...Object.keys(exceptions)];
  assert.deepEqual(
    [...addresses].filter((address) => !known.includes(address)),
    [],
    'no resource has these addresses',
  );
  assert.deepEqual(
    known.filter((address) => !addresses.has(address)),
    [],
    'no route has these addresses',
  );
  assert.deepEqual(
    [...owners.values()].filter((names) => names.length > 1),
    [],
  );
});

test('every resource that can be deleted has its changes in the tables, or the reason why not', () => {
  const deleted = new Set(
    requests.filter(({ method, path, address }) => method === 'DELETE' && path === address).map(({ path }) => path),
  );
  const unsaid = resources.filter(
    ({ addresses, changes, madeElsewhere }) =>
      !changes && !madeElsewhere && addresses.some((address) => deleted.has(address)),
  );
  assert.deepEqual(unsaid, []);
});

for (const database of databases) {
  describe(`the contract on ${database}`, () => {
    let server: TestServer;
    let world: World;
    let operator: PlatformCaller;
    let documents: readonly Document[];
    let bodies: readonly Holes[];
    const events: StoredEvent[] = [];
    const audited = new Set<string>();
    before(async () => {
      server = await startServer({ database, config: { hosting: 'process', apiAuth: 'key' } });
      world = await makeWorld(server, 'contract', 'own');
      operator = await person(server, 'operator@example.com', 'admin');
      const paths = ['/openapi.json', '/api/v0/openapi.json'];
      documents = await Promise.all(paths.map(async (path) => (await server.request('GET', path)).body));
      bodies = documents.map((document) => new Holes(document, world.own));
      const workspace = (await listWorkspaces(server.server.store)).at(-1) ?? 0;
      server.server.hub.hear('events', workspace, (event) => events.push(event));
    });
    after(() => server.stop());

    const send = (
      { caller }: Resource,
      method: string,
      path: string,
      parameters: Readonly<Record<string, string>>,
      body: unknown,
      query = '',
    ) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? name));
      const address = prefixes.get(path)?.(world) + filled + query;
      const key = caller === 'operator' ? operator.key : world.caller.key;
      return server.request(method, address, body === undefined ? undefined : JSON.stringify(body), {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      });
    };

    /** The parameters of a path: `named` in the last segment of `address`, and objects of the caller. */
    const parametersOf = (path: string, address: string, named: string): Record<string, string> => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const own = names.map((name) => [name, ownObjectIn(world.own, path, name) ?? crypto.randomUUID()]);
      return { ...Object.fromEntries(own), [parameterAt(address)]: named };
    };

    const sampleOf = (method: string, path: string): unknown => {
      for (const [index, { paths }] of documents.entries()) {
        const operation = paths[path]?.[method.toLowerCase()];
        if (operation) return bodies[index]?.sampleOf(operation);
      }
      return undefined;
    };

    const assertRefused = (answer: Answer, { status, body }: Refusal, words: Record<string, string>, asked: string) => {
      const text = JSON.stringify(body).replace(/\{(\w+)\}/g, (hole, name: string) => words[name] ?? hole);
      assert.deepEqual([answer.status, answer.body], [status, JSON.parse(text)], asked);
    };

    /** Asks every route that names the object by one of these addresses for one that does not exist. */
    const assertMissing = async (resource: Resource, keys: Keys) => {
      for (const { method, path, address } of requests.filter((one) => resource.addresses.includes(one.address))) {
        const route = `${method} ${path}`;
        if (resource.changes?.create === route) continue;
        const { query, body = sampleOf(method, path) } = resource.asked?.[route] ?? {};
        const expected = resource.otherwise?.[route] ?? resource.missing;
        for (const named of keys(address)) {
          const parameters = parametersOf(path, address, named);
          const answer = await send(resource, method, path, parameters, body, query && `?${query}`);
          assertRefused(answer, expected, { ...parameters, absent: named }, `${route} with ${address}`);
        }
      }
    };

    /** Events and entries of the audit since the last call, as the tables write them; `id` is of the changed object. */
    const recordedAbout = async (id: string | undefined): Promise<string[]> => {
      const recorded = events.splice(0).map(({ event, resource }) => {
        const subject = JSON.parse(resource)['prefect.resource.id'] as string;
        const own = `${event.slice(0, event.lastIndexOf('.'))}.${id}`;
        return subject === own ? event : `${event} of ${subject.replace(/\.[0-9a-f-]{36}$/, '')}`;
      });
      for (const entry of await server.server.store.platform.reads().all(auditEntries, {})) {
        if (audited.has(entry.id)) continue;
        audited.add(entry.id);
        recorded.push(entry.target_id === id ? entry.action : `${entry.action} of ${entry.target_type}`);
      }
      return recorded;
    };

    for (const resource of resources) {
      test(`${resource.name}: every route answers for one that does not exist, and records nothing`, async () => {
        await recordedAbout(undefined);
        await assertMissing(resource, absentIn);
        assert.deepEqual(await recordedAbout(undefined), []);
      });
    }

    for (const resource of resources) {
      const { changes } = resource;
      if (!changes) continue;
      const taken = changes.unique ? 'a taken name changes nothing, ' : '';
      test(`${resource.name}: ${taken}changes are recorded once, and a deleted one is gone`, () =>
        followChanges(resource, changes));
    }

    const followChanges = async (resource: Resource, changes: Changes) => {
      const [method = '', path = ''] = changes.create.split(' ');
      const create = (name: string) =>
        send(resource, method, path, parametersOf(path, path, name), changes.body(name, world.own));
      const make = async (name: string): Promise<Made> => {
        const answer = await create(name);
        assert.ok(answer.status < 300, `${changes.create}: ${answer.text}`);
        return changes.madeAs ? answer.body[changes.madeAs] : answer.body;
      };
      const at = (keys: Keys, method: string, body?: unknown) => {
        const [address = ''] = resource.addresses;
        const [named = ''] = keys(address);
        return send(resource, method, address, parametersOf(address, address, named), body);
      };
      const stateOf = async (keys: Keys): Promise<Made> => {
        const { seenIn } = changes;
        const { status, text, body } = await (seenIn
          ? send(resource, 'GET', seenIn, parametersOf(seenIn, '', ''), undefined)
          : at(keys, 'GET'));
        assert.equal(status, 200, text);
        return body;
      };
      const assertDone = async (answer: Answer, status: number, made: Made, recorded: readonly string[]) => {
        assert.equal(answer.status, status, answer.text);
        assert.deepEqual(await recordedAbout(made?.id), recorded);
      };
      await recordedAbout(undefined);
      const made = await make('first');
      const keys = keysOf(made, 'first');
      const expected = recordedBy(changes);
      const updatedWith = organizationResources.includes(resource) ? 200 : 204;
      assert.deepEqual(await recordedAbout(made?.id), expected.created);
      for (const [method, body] of changes.updates ?? []) {
        await assertDone(await at(keys, method, body), updatedWith, made, expected.updated);
        const state = await stateOf(keys);
        assert.partialDeepStrictEqual(changes.seenIn ? state[0] : state, body);
      }
      // The second body is that of the first before its updates: an answer that overwrote it would show.
      const before = await stateOf(keys);
      const { field = 'name', taken, renamed } = changes.unique ?? {};
      if (taken) {
        assertRefused(await create('first'), taken, { taken: 'first' }, changes.create);
        assert.deepEqual([await stateOf(keys), await recordedAbout(made?.id)], [before, []]);
      }
      if (renamed) {
        const other = keysOf(await make('second'), 'second');
        await recordedAbout(undefined);
        const untouched = [before, await stateOf(other)];
        assertRefused(await at(other, 'PATCH', { [field]: 'first' }), renamed, { taken: 'first' }, 'PATCH');
        assert.deepEqual([await stateOf(keys), await stateOf(other)], untouched);
        assert.deepEqual(await recordedAbout(undefined), []);
      }
      await assertDone(await at(keys, 'DELETE'), changes.deletedWith ?? 204, made, expected.deleted);
      await assertMissing(resource, keys);
      if (taken) await make('first');
    };
  });
}

function recordedBy({ recorded }: Changes): Recorded {
  if (typeof recorded !== 'string') return recorded;
  const ending = recorded.startsWith('prefect.') ? 'd' : '';
  const [created, updated, deleted] = ['create', 'update', 'delete'].map((change) => [
    `${recorded}.${change}${ending}`,
  ]);
  return { created, updated, deleted } as Recorded;
}
