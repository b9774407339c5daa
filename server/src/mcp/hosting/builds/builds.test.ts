import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hostedServer } from '../../../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { readConfig } from '../../../config.ts';
import { addSeconds, type Clock } from '../../../values/time.ts';
import { Builds } from './builds.ts';
import { claimBuild, serverBuilds } from './queries.ts';

/** Builds of one organization that may wait. */
const QUEUED = 4;

for (const database of databases) {
  describe(`running builds on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let folder: string;
    let builds: Builds;
    let count = 0;
    before(async () => {
      const hostingCeilings = { ...readConfig({}, {}).hostingCeilings, queuedBuilds: QUEUED };
      server = await startServer({ database, config: { hosting: 'process', apiAuth: 'key', hostingCeilings } });
      builds = new Builds(server.server);
      admin = await person(server, 'ada@example.com', 'admin');
      folder = await mkdtemp(join(tmpdir(), 'signalbox-builds-'));
    });
    after(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** A queued build whose `git` is this script. */
    async function queued(script: string): Promise<string> {
      const slug = `server-${++count}`;
      await hostedServer(server, slug);
      const path = `/organizations/default/servers/${slug}`;
      const place = await mkdtemp(join(folder, 'bin-'));
      await writeFile(join(place, 'git'), `#!/bin/sh\n${script}\n`);
      await chmod(join(place, 'git'), 0o700);
      await admin.put(`${path}/environment/PATH`, { value: `${place}:${process.env['PATH']}`, sensitive: false });
      await admin.put(`${path}/environment/TOKEN`, { value: 'hunter2-and-more' });
      const source = { kind: 'git', repository: 'file:///nowhere', commit: 'a'.repeat(40) };
      const { body } = await admin.post(`${path}/builds`, { source });
      await admin.put(`${path}/environment/TOKEN`, { value: 'changed-after-it' });
      return `${path}/builds/${body.id}`;
    }
    /** A program of the machine, which an operator has built as it is. */
    async function queuedCommand(
      organization: string,
    ): Promise<{ readonly status: number; readonly text: string; readonly path: string }> {
      const slug = `server-${++count}`;
      const servers = `/organizations/${organization}/servers`;
      assert.equal((await admin.post(servers, { slug, name: slug, kind: 'hosted' })).status, 201);
      const path = `${servers}/${slug}/builds`;
      const { status, text, body } = await admin.post(path, {
        source: { kind: 'command', command: ['true'] },
        deploy: false,
      });
      return { status, text, path: `${path}/${body.id}` };
    }
    const stateOf = async (build: string) => (await admin.get(build)).body.state;
    const linesOf = async (build: string): Promise<string[]> =>
      (await admin.get(`${build}/logs`)).body.items.map(({ message }: { message: string }) => message);

    test('a build gets the variables of the time when it was requested, and its log none of their values', async () => {
      const answer = join(folder, 'token');
      const build = await queued(`printf '%s' "$TOKEN" > ${answer}; echo "the token is $TOKEN"; exit 3`);
      await builds.begin();
      await builds.settled();
      assert.equal(await readFile(answer, 'utf8'), 'hunter2-and-more');
      const lines = await linesOf(build);
      assert.ok(lines.includes('the token is [secret]'));
      assert.ok(!lines.join().includes('hunter2'));
      assert.equal((await admin.get(build)).body.error, 'git exited with status 3.');
    });

    test('all waiting builds are built, also with outdated statistics', async () => {
      await server.server.store.refreshStatistics();
      const asked = await Promise.all(Array.from({ length: 4 }, () => queued('exit 3')));
      for (let pass = 0; pass < 2; pass++) {
        await builds.begin();
        await builds.settled();
      }
      const errors = await Promise.all(asked.map(async (build) => (await admin.get(build)).body.error));
      assert.deepEqual(new Set(errors), new Set(['git exited with status 3.']));
    });

    test('builds of one organization wait in a bounded number, also when they are asked for at once, and keep no other waiting', async () => {
      const slug = `other-${database}`;
      assert.equal((await admin.post('/organizations', { name: slug, slug })).status, 201);
      const asked = await Promise.all(Array.from({ length: QUEUED + 2 }, () => queuedCommand('default')));
      const refused = asked.filter(({ status }) => status !== 201);
      assert.deepEqual(
        refused.map(({ status }) => status),
        [429, 429],
      );
      assert.match(refused[0]!.text, /SIGNALBOX_HOSTING_QUEUED_BUILDS/);
      const other = await queuedCommand(slug);
      assert.equal(other.status, 201, other.text);
      const claim = () =>
        server.server.store.platform.transaction(async (tx) => {
          const now = server.server.clock.now();
          return (await tx.first(claimBuild, { now, until: addSeconds(now, 60) }))?.id;
        });
      const claimed = [await claim(), await claim(), await claim()];
      const places = [...asked, other].map(({ path }) => path.split('/').at(-1));
      const own = places.filter((_, at) => asked[at]?.status === 201).sort();
      assert.deepEqual(claimed, [own[0], places.at(-1), own[1]], 'the organization with the fewest under way is next');
      // Given back for the tests that follow.
      const waiting = { state: 'queued', started: null, claimed_until: null };
      for (const id of claimed)
        await server.server.store.platform.transaction((tx) => serverBuilds.changeAll(tx, { id: id! }, waiting));
      for (let pass = 0; pass < QUEUED; pass++) {
        await builds.begin();
        await builds.settled();
      }
      assert.equal(await stateOf(other.path), 'succeeded');
    });

    test('a running build is canceled, and the processes it started end', async () => {
      const build = await queued(`echo running; sleep 1000`);
      await builds.begin();
      await until('it runs', async () => (await linesOf(build)).includes('running'));
      assert.equal(await stateOf(build), 'building');
      assert.equal((await admin.post(`${build}/cancel`)).status, 200);
      await builds.settled();
      const { state, error } = (await admin.get(build)).body;
      assert.deepEqual([state, error], ['canceled', 'The build was canceled.']);
    });

    test('replicas that look at the same time build each build once', async () => {
      const counted = join(folder, 'counted');
      const asked = await Promise.all(Array.from({ length: 4 }, () => queued(`echo x >> ${counted}; exit 1`)));
      const replicas = Array.from({ length: 3 }, () => new Builds(server.server));
      for (let pass = 0; pass < 3; pass++) {
        await Promise.all(replicas.map((replica) => replica.begin()));
        await Promise.all(replicas.map((replica) => replica.settled()));
      }
      assert.deepEqual(new Set(await Promise.all(asked.map(stateOf))), new Set(['failed']));
      assert.equal((await readFile(counted, 'utf8')).trim().split('\n').length, 4);
    });

    test('a server that stops returns its builds to the queue', async () => {
      const build = await queued(`echo running; sleep 1000`);
      const replica = new Builds(server.server);
      await replica.begin();
      await until('it runs', async () => (await linesOf(build)).includes('running'));
      await replica.stop();
      assert.equal(await stateOf(build), 'queued');
      assert.equal((await admin.post(`${build}/cancel`)).body.state, 'canceled');
    });

    test('a build of a replica that has gone is reported as failed', async () => {
      const build = await queued(`echo running; sleep 1000`);
      const lost = new Builds(server.server);
      await lost.begin();
      await until('it runs', async () => (await linesOf(build)).includes('running'));
      const { clock } = server.server;
      const later = { now: () => addSeconds(clock.now(), 120) } as Clock;
      await new Builds({ ...server.server, clock: later }).begin();
      const { state, error } = (await admin.get(build)).body;
      assert.deepEqual([state, error], ['failed', 'The Signalbox server that ran this build has stopped.']);
      await lost.settled();
      assert.equal(await stateOf(build), 'failed');
    });
  });
}
