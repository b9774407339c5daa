/**
 * Sends every id and name that a request can hold with another tenant's value: the answer equals that for a missing
 * object.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { accountRoutes, routes } from '../../../src/app.ts';
import { isFullRun } from '../../support/full-run.ts';
import { type Document, Holes } from '../../support/holes.ts';
import { databasesOfRun, startServer, type TestServer } from '../../support/server.ts';
import { makeWorld, ownObjectIn, type World } from '../../support/worlds.ts';
import { Twins } from './twins.ts';

const QUICK_PART = 4;

/**
 * Reads come first and requests that may change every object of a twin last, so that the twins keep their objects for
 * long.
 */
function rankOf(method: string, path: string): number {
  if (/bulk_(delete|set_state)|\/events$/.test(path)) return 2;
  const permission = routes.find((route) => route.method === method && route.path === path)?.permission;
  return method === 'GET' || permission?.endsWith(':read') ? 0 : 1;
}

/** Slugs are unique across organizations: the second to choose one learns that it is taken. */
const takesPublicName = (method: string, path: string, place: string) =>
  (method === 'POST' && path === '/organizations') || (path === '/organizations/{org}' && place === '.slug');

/**
 * What an MCP server gives its capabilities, and names of HTTP headers, of variables of an environment and of arguments:
 * they name nothing of a tenant.
 */
const namesNothing = (place: string) =>
  /\.remix\.sources\[\]\.\w+\[\]\.|\.(headers|environmentVariables|\w+Arguments)\[\]\.name$/.test(place);

for (const database of databasesOfRun) {
  describe(`ids of another tenant on ${database}`, () => {
    let server: TestServer;
    let stranger: World;
    let twins: readonly [World, World];
    let orchestration: Document;
    let platform: Document;
    before(async () => {
      server = await startServer({ database });
      stranger = await makeWorld(server, 'stranger', 'red');
      twins = [await makeWorld(server, 'first-twin', 'own'), await makeWorld(server, 'second-twin', 'own')];
      orchestration = (await server.request('GET', '/openapi.json')).body;
      platform = (await server.request('GET', '/api/v0/openapi.json')).body;
    });
    after(() => server.stop());

    const operationsOf = ({ paths }: Document) =>
      Object.entries(paths)
        .flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
        )
        .sort((left, right) => rankOf(left.method, left.path) - rankOf(right.method, right.path));

    /** The address with objects of the caller in its segments, except for `hole`. */
    const addressOf = (path: string, world: World, hole?: string, named?: string) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent((name === hole ? named : ownObjectIn(world.own, path, name)) ?? 'none'),
      );

    let fields = 0;
    /**
     * The stranger's values that fit a field of this name. Where the name does not tell, every kind; in the quick run a
     * quarter of the kinds, other ones for each field.
     */
    const candidatesFor = (name: string, kind: 'id' | 'text'): readonly string[] => {
      const known = stranger.own[name];
      if (known !== undefined) return [known];
      if (kind === 'text' && !/name|key|tag|slug|like_|prefix|handle/.test(name)) return [];
      fields += 1;
      const ofEachKind = kind === 'id' ? stranger.idOfEachKind : stranger.texts;
      return ofEachKind.filter((_, index) => isFullRun || index % QUICK_PART === fields % QUICK_PART);
    };

    const askAll = async (asked: Twins, document: Document, prefix: (world: World) => string): Promise<void> => {
      const [first] = twins;
      const bodies = new Map(twins.map((world) => [world, new Holes(document, world.own)]));
      for (const { method, path, operation } of operationsOf(document)) {
        const sample = (world: World) => bodies.get(world)?.sampleOf(operation);
        for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
          const named = ownObjectIn(stranger.own, path, name);
          if (named === undefined) continue;
          await asked.ask(method, (world, value) => prefix(world) + addressOf(path, world, name, value), sample, named);
        }
        const address = (world: World) => prefix(world) + addressOf(path, world);
        for (const { name, schema } of operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []) {
          const kind = bodies.get(first)?.kindOf(schema);
          const isPosition = /cursor|token/.test(name);
          for (const named of isPosition ? stranger.cursors : kind ? candidatesFor(name, kind) : []) {
            await asked.ask(
              method,
              (world, value) => `${address(world)}?${name}=${value}`,
              () => undefined,
              named,
            );
          }
        }
        const holes = twins.map((world) => bodies.get(world)?.of(operation) ?? []);
        for (const [index, { place, kind, takesMany }] of (holes[0] ?? []).entries()) {
          if (takesPublicName(method, path, place) || namesNothing(place)) continue;
          const bodyFor = (world: World, value: unknown) => holes[world === first ? 0 : 1]?.[index]?.fill(value);
          if (takesMany) {
            await asked.ask(method, address, bodyFor, kind === 'id' ? stranger.ids : stranger.texts);
          } else {
            const name = place.slice(place.lastIndexOf('.') + 1);
            for (const named of candidatesFor(name, kind)) await asked.ask(method, address, bodyFor, named);
          }
        }
      }
    };

    test('get equal answers for every id and name of a workspace', async () => {
      const before = await everythingOf(stranger);
      const asked = new Twins(...twins, stranger);
      await askAll(asked, orchestration, ({ hosted }) => hosted);
      assert.deepEqual(asked.differences, []);
      assert.ok(asked.asked > (isFullRun ? 5000 : 2000) && asked.refusedAsMalformed < asked.asked / 10);
      assert.deepEqual(await everythingOf(stranger), before);
    });

    test('get equal answers for every id and name of an organization', async () => {
      const asked = new Twins(...twins, stranger);
      await askAll(asked, platform, () => '/api/v0');
      assert.deepEqual(asked.differences, []);
      assert.ok(asked.asked > 50 && asked.refusedAsMalformed < asked.asked / 5);
    });

    test('get equal answers for every route of a hosted address', async () => {
      const asked = new Twins(...twins, stranger);
      const { organization, own } = stranger;
      for (const { method, path } of [...routes, { method: 'GET', path: '/no-such-route' }]) {
        const at = (org: string, workspace: string, world: World) =>
          `/api/accounts/${org}/workspaces/${workspace}${addressOf(path, world)}`;
        const none = () => undefined;
        await asked.ask(method, (world, org) => at(org, world.own['workspaces'] ?? '', world), none, organization);
        await asked.ask(method, (world, id) => at(world.organization, id, world), none, own['workspaces'] ?? '');
      }
      for (const { method, path } of accountRoutes.filter((route) => route.path.includes('{org}'))) {
        await asked.ask(
          method,
          (_, org) => `/api${path.replace('{org}', org)}`,
          () => undefined,
          organization,
        );
      }
      assert.deepEqual(asked.differences, []);
    });

    test('are all visible to their owner', async () => {
      const documents = [
        [orchestration, stranger.hosted],
        [platform, '/api/v0'],
      ] as const;
      for (const [document, prefix] of documents) {
        for (const { method, path } of operationsOf(document)) {
          const holes = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ownObjectIn(stranger.own, path, name));
          if (method !== 'GET' || holes.length === 0 || holes.includes(undefined)) continue;
          const { status, text } = await stranger.send(method, prefix + addressOf(path, stranger));
          // A route that also needs a query names the missing parameter.
          assert.ok(status === 200 || status === 422, `${path}: ${text}`);
        }
      }
    });
  });
}

/** All answers of the stranger's lists. */
async function everythingOf(world: World): Promise<string[]> {
  const lists = routes.filter(({ method, path }) => method === 'POST' && /^\/[a-z_0-9/]+\/filter$/.test(path));
  const answers = await Promise.all(lists.map(({ path }) => world.send('POST', world.hosted + path, {})));
  return answers.map(({ text }) => text.replaceAll(/-?\d+\.\d+(e-?\d+)?/g, '<seconds>'));
}
