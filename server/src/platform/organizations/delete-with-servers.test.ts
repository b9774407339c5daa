/** A deletion ends the running programs, and logs nothing about output that they can no longer store. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deployCommand, hostedServer, makePrograms, type Programs } from '../../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { platformStatement } from '../../database/statement.ts';

/** Prints all the time, also during shutdown, and answers with its process id. */
const LOUD = `
import { createInterface } from 'node:readline';
setInterval(() => console.error('still here'), 5);
process.on('SIGTERM', () => { console.error('ending'); setTimeout(() => process.exit(), 50); });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'loud', version: String(process.pid) } }
    : { tools: [] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

const moveServer = platformStatement<{ id: string; organization_id: string }, unknown>((query, given) =>
  query.updateTable('mcp_server').set({ organization_id: given.organization_id }).where('id', '=', given.id),
);

for (const database of databasesOfRun) {
  describe(`deletion of running servers on ${database}`, () => {
    const lines: string[] = [];
    let server: TestServer;
    let programs: Programs;
    let admin: PlatformCaller;
    let command: string[];
    let url: string;
    before(async () => {
      server = await startServer({ database, config: { hosting: 'process' }, onLogLine: (line) => lines.push(line) });
      admin = await person(server, 'ada@example.com', 'admin');
      programs = await makePrograms();
      url = (await server.listen()).replace(/^ws/, 'http').replace(/\/api$/, '');
      command = await programs.node('loud', LOUD);
    });
    after(async () => {
      await server.stop();
      await programs.remove();
    });

    /** Starts a program of a new organization; returns its process id. */
    const run = async (slug: string): Promise<number> => {
      const organization = (await admin.post('/organizations', { name: slug, slug })).body;
      const id = await hostedServer(server, slug, { transport: 'stdio' });
      await server.server.store.platform.transaction((tx) =>
        tx.run(moveServer, { id, organization_id: organization.id }),
      );
      await deployCommand(server, id, command);
      const answer = await fetch(`${url}/servers/${slug}/${slug}/mcp`, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
        headers: {
          authorization: `Bearer ${admin.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      });
      const text = await answer.text();
      const pid = Number(/"version":"(\d+)"/.exec(text)?.[1]);
      assert.ok(pid > 0, text);
      return pid;
    };
    const hasEnded = (pid: number) => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    };
    const troubles = () => lines.filter((line) => Number(JSON.parse(line).level) >= 40 || /"stack"/.test(line));

    for (const [what, path] of [
      ['an organization', '/organizations/acme'],
      ['a server', '/organizations/navy/servers/navy'],
    ] as const) {
      test(`${what}: the program ends, and the log holds no error`, async () => {
        const slug = path.split('/')[2] ?? '';
        const pid = await run(slug);
        const target = path.endsWith('servers/navy') ? await serverPath(slug) : path;
        const { status, text } = await admin.delete(target);
        assert.equal(status, 204, text);
        await until('the program has ended', () => hasEnded(pid));
        // The last output of the program is stored or lost before the next program answers.
        await run(`${slug}-next`);
        assert.deepEqual(troubles(), []);
      });
    }

    async function serverPath(slug: string): Promise<string> {
      const { items } = (await admin.get(`/organizations/${slug}/servers`)).body;
      return `/organizations/${slug}/servers/${items[0].id}`;
    }
  });
}
