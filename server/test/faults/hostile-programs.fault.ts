/**
 * Programs of users that try to leave, fill, outlive, multiply, flood, crash and starve: none leaves, none stays, the server
 * lives, and another tenant does not notice. The host of the programs is killed again and again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findCgroups } from '../../src/mcp/hosting/host/limits/cgroups.ts';
import { isRoot } from '../../src/mcp/hosting/host/machine/program-user.ts';
import { findBubblewrap } from '../../src/mcp/hosting/host/runner/bubblewrap.ts';
import { type HostileProgram, hostilePrograms } from '../hostile/programs.ts';
import { limitHere } from '../support/machine.ts';
import { until } from '../support/until.ts';
import { count, full, report } from './harness.ts';
import { ANSWER_FIRST, type HostedProgram, HostedPrograms, hasEnded, packageBuiltBy } from './hosted-programs.ts';
import { startTwoTenants, type TwoTenants } from './two-tenants.ts';

const SERVED_AGAIN_MILLISECONDS = 2000;
const WAIT_MILLISECONDS = 250;
const KILLS = count(10, 50);
const BUILD_SECONDS = 20;
/** The user of the machine as which the programs are tried beside root. */
const ORDINARY_USER = '12345';
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
  const programs = new HostedPrograms(() => tenants);
  before(async () => {
    tenants = await startTwoTenants(0, undefined, {
      SIGNALBOX_HOSTING: 'sandbox',
      SIGNALBOX_HOSTING_MAX_MEMORY_MB: '256',
      SIGNALBOX_HOSTING_MAX_DISK_MB: '128',
      SIGNALBOX_HOSTING_MAX_FILES: '5000',
      SIGNALBOX_HOSTING_QUEUED_BUILDS: '100',
      SIGNALBOX_HOSTING_BUILD_SECONDS: String(BUILD_SECONDS),
    });
  });
  after(() => tenants.dispose());

  /** What a program looks for, which a sandbox does not hand over. */
  function knowing(code: string): string {
    const { home, port, pid } = tenants.server;
    const known = { SERVER_HOME: home, SERVER_PORT: String(port), SERVER_PID: String(pid) };
    return `import os\nos.environ.update(${JSON.stringify(known)})\n${code}`;
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
    const waiting: HostedProgram[] = [];
    for (const { code } of chosen) waiting.push(await programs.deployed(`${ANSWER_FIRST}\n${knowing(code)}`, hosted));
    const watched = tenants.watch();
    // Four at a time: a machine of two processors is full with them.
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await programs.initialize(next);
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

  test('as steps of builds: none leaves, nothing stays, and another tenant waits for none of them', async () => {
    const made = await programs.made();
    const chosen = hostilePrograms.filter(({ kind }) => full || kind !== 'leave');
    const asked: [HostileProgram, string][] = [];
    const watched = tenants.watch();
    for (const program of chosen) {
      asked.push([program, await programs.buildFolder(made, packageBuiltBy(knowing(program.code)))]);
    }
    const seconds = (chosen.length * (BUILD_SECONDS + 5)) / 2;
    for (const [{ name }, id] of asked) {
      await until(`the build ends that ${name}`, async () => hasEnded(await programs.stateOf(made, id)), seconds);
      const { state, error } = await programs.stateOf(made, id);
      const log = await programs.buildLog(made, id);
      assert.equal(state, 'failed', `${name}: ${log}`);
      assert.match(error ?? '', /\w/, name);
      assert.match(log, /Getting requirements|held|backend|build/i, `${name}: its step has run`);
      assert.doesNotMatch(log, /left: /, name);
    }
    const { longestMilliseconds, p99Milliseconds, statuses } = await watched.stop();
    assert.equal(tenants.server.running, true, tenants.server.output);
    assert.deepEqual([...statuses.keys()], [200]);
    const builds = asked.map(([, id]) => id);
    await until('no process of them is left', () => builds.every((id) => processesOf(id).length === 0));
    await until('no child that has become another program is left', () => processesOf('sleep\x300').length === 0);
    // The last one is cleared after its build has ended.
    const kept = () => globSync(`**/{${builds.join()}}`, { cwd: tenants.server.home });
    await until('no folder of them is left', () => kept().length === 0);
    report({
      test: '53',
      name: `${chosen.length} hostile steps of builds: p99 of the waits of another tenant, and the longest`,
      value: `${Math.round(p99Milliseconds)} ms, ${Math.round(longestMilliseconds)} ms`,
      limit: `${WAIT_MILLISECONDS} ms`,
    });
    assert.ok(p99Milliseconds < limitHere(p99Milliseconds, WAIT_MILLISECONDS), `${p99Milliseconds} ms`);
  });

  test('a host that is killed again and again takes no one with it, and is there again', async () => {
    const overStdio = await programs.deployed(IDLE_SERVER);
    const overHttp = await programs.deployed(HTTP_SERVER, { transport: 'http' });
    const longest = { milliseconds: 0 };
    const watched = tenants.watch();
    for (let kill = 0; kill < KILLS; kill++) {
      for (const one of [overStdio, overHttp]) await until('it is served', () => isServed(one));
      const pid = hostPid();
      assert.ok(pid, 'a host runs');
      process.kill(pid, 'SIGKILL');
      const began = performance.now();
      await until('it is served again', () => isServed(overStdio));
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
    assert.deepEqual(
      processesOf(MARK).filter((pid) => !isOfHost(pid)),
      [],
      'no program of an earlier host is left',
    );
  });

  const isServed = async (program: HostedProgram) => (await programs.initialize(program)) === 200;

  /** Those that have `mark` in their command or their environment. */
  function processesOf(mark: string): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => {
        try {
          return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(mark));
        } catch {
          return false;
        }
      });
  }

  /** True for what runs below the present host. */
  function isOfHost(pid: number): boolean {
    for (let at = pid; at > 1; ) {
      if (at === hostPid()) return true;
      at = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? 0);
    }
    return false;
  }
});
