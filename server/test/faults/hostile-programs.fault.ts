/**
 * Programs of users that try to leave, fill, outlive, multiply, flood, crash and starve: none leaves, none stays, the server
 * lives, and another tenant does not notice. The host of the programs is killed again and again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findCgroups } from '../../src/mcp/hosting/host/limits/cgroups.ts';
import { isRoot } from '../../src/mcp/hosting/host/machine/program-user.ts';
import { findBubblewrap } from '../../src/mcp/hosting/host/runner/bubblewrap.ts';
import { type HostileProgram, hostilePrograms } from '../hostile/programs.ts';
import { limitHere } from '../support/machine.ts';
import { until } from '../support/until.ts';
import { count, full, report, sendJson } from './harness.ts';
import { startTwoTenants, type TwoTenants } from './two-tenants.ts';

const SERVED_AGAIN_MILLISECONDS = 2000;
const WAIT_MILLISECONDS = 250;
const KILLS = count(10, 50);
/** The user of the machine as which the programs are tried beside root. */
const ORDINARY_USER = '12345';
/** Answers the first request as a server does. What follows it in a program begins then. */
const ANSWER_FIRST = `
import json, sys
def answer(line):
    message = json.loads(line)
    result = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 'idle', 'version': '1'}}
    if 'id' in message: print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
answer(sys.stdin.readline())
`;
/** In the command of both programs that are served while their host is killed. */
const MARK = 'served while its host is killed';
const IDLE_SERVER = `# ${MARK}
${ANSWER_FIRST}
for line in sys.stdin: answer(line)
`;
const HTTP_SERVER = `# ${MARK}
import http.server, json, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers['content-length'])))
        result = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 'idle', 'version': '1'}}
        body = json.dumps({'jsonrpc': '2.0', 'id': message.get('id'), 'result': result}).encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
`;

const bubblewrap = findBubblewrap();
const options = { skip: typeof bubblewrap === 'string' && bubblewrap };

describe('hostile programs, one by one', options, () => {
  const run = join(import.meta.dirname, '..', 'hostile', 'run.ts');
  const users = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];
  // The kernel's limits and those that are only watched; each as each user in the full run.
  for (const limits of findCgroups() ? ['auto', 'watched'] : ['watched']) {
    for (const user of users) {
      const isInReducedRun = limits === 'auto' ? user === users[0] : user === 'an ordinary user';
      const skip = !full && !isInReducedRun && 'only in the full run';
      test(`as ${user}, limits ${limits}: none leaves, and nothing of them stays`, { skip }, () => {
        const words = [process.execPath, run, '--limits', limits];
        const asUser = isRoot && user !== 'root';
        const change = ['--reuid', ORDINARY_USER, '--regid', ORDINARY_USER, '--clear-groups', 'env', 'HOME=/tmp'];
        const [program = '', ...rest] = asUser ? ['setpriv', ...change, ...words] : words;
        const { stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' });
        const counts = /^(\d+) passed, (\d+) failed/m.exec(stdout);
        assert.deepEqual(counts?.slice(1), [String(hostilePrograms.length), '0'], stdout + stderr);
        report({
          test: '53',
          name: `hostile programs as ${user}, limits ${limits}: left or stayed`,
          value: `0 of ${counts?.[1]}`,
        });
      });
    }
  }
});

describe('hostile programs of one tenant', options, () => {
  let tenants: TwoTenants;
  let servers = 0;
  before(async () => {
    tenants = await startTwoTenants(0, undefined, { SIGNALBOX_HOSTING: 'sandbox' });
  });
  after(() => tenants.dispose());

  /** Deploys a program in Python that speaks over stdin and stdout. Resolves with its address at the gateway. */
  async function deployed(code: string, hosted: object = {}): Promise<string> {
    const { server, headers } = tenants;
    const made = await sendJson(
      'POST',
      `${server.api}/v0/organizations/default/servers`,
      {
        name: `Program ${++servers}`,
        slug: `program-${servers}`,
        kind: 'hosted',
        hosted: { transport: 'stdio', ...hosted },
      },
      headers,
    );
    assert.equal(made.status, 201, made.text);
    const { slug, servingUrl } = JSON.parse(made.text) as { slug: string; servingUrl: string };
    const path = `${server.api}/v0/organizations/default/servers/${slug}`;
    const builds = `${path}/builds`;
    const source = { kind: 'command', command: ['python3', '-c', code] };
    const asked = await sendJson('POST', builds, { source, deploy: false }, headers);
    assert.equal(asked.status, 201, asked.text);
    const build = JSON.parse(asked.text) as { id: string };
    await until('it is built', async () =>
      (await sendJson('GET', `${builds}/${build.id}`, undefined, headers)).text.includes('succeeded'),
    );
    const live = await sendJson('POST', `${path}/deployments`, { buildId: build.id }, headers);
    assert.equal(live.status, 201, live.text);
    return servingUrl;
  }

  /** The status of an answer to `initialize`. */
  async function initialize(url: string): Promise<number> {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const accept = 'application/json, text/event-stream';
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    return (await sendJson('POST', url, body, { ...tenants.headers, accept })).status;
  }

  function hostPid(): number | undefined {
    const parent = `PPid:\t${tenants.server.pid}\n`;
    return readdirSync('/proc')
      .map(Number)
      .find((pid) => {
        try {
          const isChild = readFileSync(`/proc/${pid}/status`, 'utf8').includes(parent);
          return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('host-process');
        } catch {
          return false;
        }
      });
  }

  test('the server lives, and another tenant waits for none of them', async () => {
    const hosted = { memoryMegabytes: 256, diskMegabytes: 128, startSeconds: 10, idleSeconds: 10 };
    const chosen = hostilePrograms.filter(({ kind }) => full || kind !== 'leave');
    const addresses: [HostileProgram, string][] = [];
    for (const program of chosen) addresses.push([program, await deployed(`${ANSWER_FIRST}\n${program.code}`, hosted)]);
    const watched = tenants.watch();
    // Four at a time: a machine of two processors is full with them.
    const waiting = [...addresses];
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await initialize(next[1]);
    };
    await Promise.all(Array.from({ length: 4 }, work));
    const { longestMilliseconds, statuses } = await watched.stop();
    assert.equal(tenants.server.running, true, tenants.server.output);
    assert.deepEqual([...statuses.keys()], [200]);
    report({
      test: '53',
      name: `${chosen.length} hostile programs, four at a time: longest wait of another tenant`,
      value: `${Math.round(longestMilliseconds)} ms`,
      limit: `${WAIT_MILLISECONDS} ms`,
    });
    assert.ok(longestMilliseconds < limitHere(longestMilliseconds, WAIT_MILLISECONDS), `${longestMilliseconds} ms`);
  });

  test('a host that is killed again and again takes no one with it, and is there again', async () => {
    const url = await deployed(IDLE_SERVER);
    const overHttp = await deployed(HTTP_SERVER, { transport: 'http' });
    const longest = { milliseconds: 0 };
    const watched = tenants.watch();
    for (let kill = 0; kill < KILLS; kill++) {
      for (const one of [url, overHttp]) await until('it is served', async () => (await initialize(one)) === 200);
      const pid = hostPid();
      assert.ok(pid, 'a host runs');
      process.kill(pid, 'SIGKILL');
      const began = performance.now();
      await until('it is served again', async () => (await initialize(url)) === 200);
      longest.milliseconds = Math.max(longest.milliseconds, performance.now() - began);
    }
    const { longestMilliseconds, statuses } = await watched.stop();
    assert.deepEqual([...statuses.keys()], [200]);
    assert.equal(tenants.server.running, true);
    const { milliseconds } = longest;
    report({
      test: '53',
      name: `${KILLS} kills of the host: served again after`,
      value: `${Math.round(milliseconds)} ms`,
      limit: `${SERVED_AGAIN_MILLISECONDS} ms`,
    });
    report({
      test: '53',
      name: `${KILLS} kills of the host: longest wait of another tenant`,
      value: `${Math.round(longestMilliseconds)} ms`,
    });
    assert.ok(milliseconds < limitHere(milliseconds, SERVED_AGAIN_MILLISECONDS), `${milliseconds} ms`);
    const left = readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(MARK) && !isOf(Number(pid));
      } catch {
        return false;
      }
    });
    assert.deepEqual(left, [], 'no program of an earlier host is left');
  });

  /** True for what runs below the present host. */
  function isOf(pid: number): boolean {
    for (let at = pid; at > 1; ) {
      if (at === hostPid()) return true;
      at = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? 0);
    }
    return false;
  }
});
