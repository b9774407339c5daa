import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inThisProcess } from '../../test/support/host-in-process.ts';
import { buildAll, makePrograms, type Programs } from '../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';
import { startWatchedUpstream, type WatchedUpstream } from '../../test/support/watched-upstream.ts';
import { Hub } from '../changes/hub.ts';
import type { Server } from '../context/context.ts';
import { Hosting } from '../mcp/hosting/hosting.ts';
import { promote } from '../mcp/hosting/launch/deployments.ts';
import { Connections } from '../mcp/upstream/connections.ts';
import { addSeconds, type Timestamp } from '../values/time.ts';
import { BuildQueue } from './builds.ts';
import { ManifestDiscovery } from './manifests.ts';
import { startServices } from './runner.ts';

/** Speaks over stdin and stdout, and offers one tool. */
const OFFERS = (tool: string) => `
import { createInterface } from 'node:readline';
const answers = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'small', version: '1' } },
  'tools/list': { tools: [{ name: '${tool}', inputSchema: { type: 'object' } }] },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method];
  const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) + '\\n');
});
`;
const BROKEN = 'process.exit(3);';

/** Another process on the same database, with the same home folder. */
function replicaOf({ server }: TestServer): { replica: Server; stop: () => Promise<unknown> } {
  const hub = new Hub();
  const hosting = new Hosting({ ...server, hub, makeHost: inThisProcess() });
  const upstreams = new Connections({ ...server, hub }, hosting, server);
  return {
    replica: { ...server, hub, hosting, upstreams },
    stop: () => Promise.all([upstreams.close(), hosting.close()]),
  };
}

/** One pass of a process, until every server that it asks has answered. */
async function askDue(server: Server, now: Timestamp): Promise<void> {
  const manifests = new ManifestDiscovery(server);
  await manifests.runOnce(now);
  await manifests.settled();
}

for (const database of databases) {
  describe(`discovery of what hosted servers offer, on ${database}`, () => {
    let server: TestServer;
    let programs: Programs;
    let admin: PlatformCaller;
    let count = 0;
    before(async () => {
      server = await startServer({ database, config: { hosting: 'process', apiAuth: 'key' } });
      admin = await person(server, 'ada@example.com', 'admin');
      programs = await makePrograms();
    });
    after(async () => {
      await server.stop();
      await programs.remove();
    });

    async function made(given: object = {}): Promise<string> {
      const slug = `offers-${++count}`;
      const hosted = { transport: 'stdio' };
      const server = { slug, name: slug, kind: 'hosted', hosted, ...given };
      const { status, text } = await admin.post('/organizations/default/servers', server);
      assert.equal(status, 201, text);
      return `/organizations/default/servers/${slug}`;
    }
    /** Returns the id of the build. */
    async function build(path: string, code: string, deploy: boolean): Promise<string> {
      const command = (await programs.node(`program-${++count}`, code)).map((word) => `'${word}'`).join(' ');
      const { status, text, body } = await admin.post(`${path}/builds`, {
        source: { kind: 'command', command },
        deploy,
      });
      assert.equal(status, 201, text);
      await buildAll(server);
      return body.id;
    }
    /** Deploys a build without a trial, like a program that worked once and no longer does. */
    async function putLive(path: string, code: string): Promise<void> {
      const buildId = await build(path, code, false);
      const serverId: string = (await admin.get(path)).body.id;
      const { store, clock, hub } = server.server;
      await store.platform.transaction((tx) => promote(tx, { serverId, buildId, actorName: 'test', now: clock.now() }));
      hub.tell('servers', serverId, 'deployment');
    }
    async function pass(now = server.server.clock.now()): Promise<void> {
      await askDue(server.server, now);
    }
    const toolsOf = async (path: string): Promise<string[]> =>
      (await admin.get(`${path}/capabilities`)).body.tools.map(({ name }: { name: string }) => name);
    const stateOf = async (path: string): Promise<string> => (await admin.get(`${path}/process`)).body.state;

    test('runs soon after each deployment and rollback', async () => {
      const path = await made();
      await pass();
      assert.deepEqual([await toolsOf(path), await stateOf(path)], [[], 'stopped'], 'no build is live');
      await build(path, OFFERS('first'), true);
      assert.deepEqual(await toolsOf(path), []);
      await pass();
      assert.deepEqual(await toolsOf(path), ['first']);
      assert.deepEqual((await admin.get(`${path}/capabilities`)).body.eras, ['legacy']);
      const second = await build(path, OFFERS('second'), false);
      await pass();
      assert.deepEqual(await toolsOf(path), ['first'], 'a build alone changes nothing');
      assert.equal((await admin.post(`${path}/deployments`, { buildId: second })).status, 201);
      await pass();
      assert.deepEqual(await toolsOf(path), ['second']);
      const [, earlier] = (await admin.get(`${path}/deployments`)).body.items;
      assert.equal((await admin.post(`${path}/deployments/${earlier.id}/rollback`)).status, 201);
      await pass();
      assert.deepEqual(await toolsOf(path), ['first']);
    });

    test('reports a program that does not start, and keeps the earlier offers', async () => {
      const path = await made();
      await build(path, OFFERS('known'), true);
      await pass();
      await putLive(path, BROKEN);
      await pass();
      assert.deepEqual(await toolsOf(path), ['known']);
      assert.match((await admin.get(path)).body.manifestError, /exited/);
      const { startedAt, failures } = (await admin.get(`${path}/process`)).body;
      await pass();
      const later = (await admin.get(`${path}/process`)).body;
      assert.deepEqual([later.startedAt, later.failures], [startedAt, failures], 'it is not tried again and again');
      await build(path, OFFERS('mended'), true);
      await pass();
      assert.deepEqual([await toolsOf(path), (await admin.get(path)).body.manifestError], [['mended'], null]);
    });

    test('runs again for a server with changed run settings', async () => {
      const path = await made();
      await build(path, OFFERS('same'), true);
      await pass();
      const { manifestReadAt } = (await admin.get(path)).body;
      const { status, text } = await admin.patch(path, { hosted: { idleSeconds: 120 } });
      assert.equal(status, 200, text);
      await pass();
      const changed = (await admin.get(path)).body;
      assert.deepEqual(
        [changed.hosted.transport, changed.hosted.idleSeconds],
        ['stdio', 120],
        'fields that are omitted stay',
      );
      assert.ok(changed.manifestReadAt > manifestReadAt, changed.manifestReadAt);
      assert.deepEqual(await toolsOf(path), ['same']);
    });

    test('runs again when a variable is set or removed', async () => {
      const path = await made();
      const code = `if (process.env.TOKEN === undefined) process.exit(3);\n${OFFERS('with-token')}`;
      await putLive(path, code);
      await pass();
      assert.match((await admin.get(path)).body.manifestError, /exited/);
      assert.equal((await admin.put(`${path}/environment/TOKEN`, { value: 'x' })).status, 200);
      await pass();
      assert.deepEqual([await toolsOf(path), (await admin.get(path)).body.manifestError], [['with-token'], null]);
      assert.equal((await admin.delete(`${path}/environment/TOKEN`)).status, 204);
      await pass();
      assert.match((await admin.get(path)).body.manifestError, /exited/);
    });

    test('runs again some minutes after a start that failed for a temporary reason', async () => {
      const path = await made();
      const needed = join(tmpdir(), `signalbox-needed-${randomUUID()}`);
      const waits = `import { existsSync } from 'node:fs';\nif (!existsSync('${needed}')) process.exit(3);`;
      await putLive(path, waits + OFFERS('late'));
      // Starting a program may take long on a busy machine, so the passes count from one time.
      const first = server.server.clock.now();
      await pass(first);
      assert.match((await admin.get(path)).body.manifestError, /exited/);
      await writeFile(needed, '');
      try {
        await pass(addSeconds(first, 290));
        assert.match((await admin.get(path)).body.manifestError, /exited/, 'not yet');
        await pass(addSeconds(first, 310));
        assert.deepEqual([await toolsOf(path), (await admin.get(path)).body.manifestError], [['late'], null]);
      } finally {
        await rm(needed);
      }
    });

    test('skips a server that authenticates its callers, until the platform does', async () => {
      const path = await made({ authentication: 'none' });
      await build(path, OFFERS('open'), true);
      await pass();
      assert.deepEqual([await toolsOf(path), await stateOf(path)], [[], 'stopped']);
      assert.equal((await admin.patch(path, { authentication: 'platform' })).status, 200);
      await pass();
      assert.deepEqual(await toolsOf(path), ['open']);
    });

    test('asks the live deployment, even on a replica that runs an earlier one', async () => {
      const { replica, stop } = replicaOf(server);
      const passOfReplica = () => askDue(replica, server.context().now);
      try {
        const path = await made();
        await build(path, OFFERS('earlier'), true);
        await passOfReplica();
        assert.deepEqual(await toolsOf(path), ['earlier']);
        await build(path, OFFERS('later'), true);
        await passOfReplica();
        assert.deepEqual(await toolsOf(path), ['later']);
      } finally {
        await stop();
      }
    });

    test('runs at once after a deployment', async () => {
      const running = startServices(server.server, [
        new BuildQueue(server.server),
        new ManifestDiscovery(server.server),
      ]);
      try {
        const path = await made();
        await build(path, OFFERS('woken'), true);
        await until('the tools are known', async () => (await toolsOf(path)).includes('woken'), 4);
      } finally {
        await running.stop();
      }
    });
  });

  describe(`external servers that could not be asked, on ${database}`, () => {
    const external = '/organizations/default/servers';
    let upstream: WatchedUpstream;
    let server: TestServer;
    let admin: PlatformCaller;
    let began: Timestamp;
    before(async () => {
      upstream = await startWatchedUpstream();
      server = await startServer({ database, config: { allowPrivateTargets: true, apiAuth: 'key' } });
      admin = await person(server, 'ada@example.com', 'admin');
      began = server.server.clock.now();
    });
    after(async () => {
      await server.stop();
      await upstream.stop();
    });

    async function pass(afterSeconds: number, since = began): Promise<void> {
      await askDue(server.server, addSeconds(since, afterSeconds));
    }
    const register = (slug: string) =>
      admin.post(external, { slug, name: slug, kind: 'external', external: { url: upstream.url } });
    const failing = () => upstream.answerWith((_request, response) => response.writeHead(503).end());

    test('are asked again some minutes later, and after that only on request', async () => {
      failing();
      const { status, body } = await register('late');
      assert.equal(status, 201);
      assert.match(body.manifestError, /did not answer/);
      upstream.answerWith(undefined);
      const asked = upstream.seen.length;
      await pass(290);
      assert.equal(upstream.seen.length, asked, 'not yet');
      await pass(310);
      assert.equal((await admin.get(`${external}/late`)).body.manifestError, null);
      assert.deepEqual((await admin.get(`${external}/late/capabilities`)).body.eras, ['legacy', 'modern']);
      const askedAgain = upstream.seen.length;
      await pass(86_400);
      assert.equal(upstream.seen.length, askedAgain);
      failing();
      const { body: moved } = await admin.patch(`${external}/late`, { external: { answerSeconds: 9 } });
      assert.match(moved.manifestError, /did not answer/);
      upstream.answerWith(undefined);
      await pass(310);
      assert.equal((await admin.get(`${external}/late`)).body.manifestError, null);
    });

    test('are asked some minutes later when the first request was interrupted', async () => {
      const held: ServerResponse[] = [];
      upstream.answerWith((_request, response) => void held.push(response));
      const named = server.server.clock.now();
      const cutOff = register('cut-off');
      try {
        await until('it is being asked', () => held.length > 0);
        upstream.answerWith(undefined);
        const asked = upstream.seen.length;
        await pass(290, named);
        assert.equal(upstream.seen.length, asked, 'not yet');
        await pass(310, named);
        assert.deepEqual((await admin.get(`${external}/cut-off/capabilities`)).body.eras, ['legacy', 'modern']);
      } finally {
        for (const response of held) response.destroy();
        await cutOff;
      }
    });

    test('are all asked when they are due at the same moment, also with outdated statistics', async () => {
      const small = await startServer({ database, config: { allowPrivateTargets: true, apiAuth: 'key' } });
      try {
        const ada = await person(small, 'ada@example.com', 'admin');
        failing();
        const slugs = ['one', 'two', 'three', 'four'];
        for (const slug of slugs) {
          await ada.post(external, { slug, name: slug, kind: 'external', external: { url: upstream.url } });
          if (slug === 'one') await small.server.store.refreshStatistics();
        }
        upstream.answerWith(undefined);
        await askDue(small.server, addSeconds(small.server.clock.now(), 310));
        for (const slug of slugs) assert.equal((await ada.get(`${external}/${slug}`)).body.manifestError, null, slug);
      } finally {
        await small.stop();
      }
    });

    test('are not updated by an answer from their former address', async () => {
      const elsewhere = await startWatchedUpstream();
      const { replica, stop } = replicaOf(server);
      try {
        failing();
        await register('moving');
        const asked = Promise.withResolvers<() => void>();
        upstream.answerWith((_request, response) => asked.resolve(() => response.writeHead(503).end()));
        const manifests = new ManifestDiscovery(replica);
        await manifests.runOnce(addSeconds(began, 310));
        const refuse = await asked.promise;
        await admin.patch(`${external}/moving`, { external: { url: elsewhere.url } });
        failing();
        refuse();
        await manifests.settled();
        assert.equal((await admin.get(`${external}/moving`)).body.manifestError, null);
        assert.deepEqual((await admin.get(`${external}/moving/capabilities`)).body.eras, ['legacy', 'modern']);
      } finally {
        await stop();
        await elsewhere.stop();
      }
    });

    test('are asked less and less often while they stay unreachable', async () => {
      failing();
      upstream.seen.length = 0;
      await register('away');
      const perAsking = upstream.seen.length;
      upstream.seen.length = 0;
      for (let minute = 0; minute < 24 * 60; minute += 5) await pass(minute * 60 + 10);
      const askings = upstream.seen.length / perAsking;
      assert.ok(askings >= 23 && askings <= 30, `${askings} requests in a day`);
    });

    test('are not asked at forbidden addresses', async () => {
      const guarded = await startServer({ database, config: { allowPrivateTargets: false, apiAuth: 'key' } });
      try {
        const ada = await person(guarded, 'ada@example.com', 'admin');
        const connections = upstream.connections();
        const given = { slug: 'inside', name: 'inside', kind: 'external', external: { url: upstream.url } };
        assert.match((await ada.post(external, given)).body.manifestError, /nothing is sent/);
        for (const days of [1, 2]) {
          await askDue(guarded.server, addSeconds(guarded.server.clock.now(), days * 86_400));
        }
        assert.equal(upstream.connections(), connections);
      } finally {
        await guarded.stop();
      }
    });
  });
}
