/**
 * `npm run test:fastmcp`: the unmodified FastMCP command line signs in to a Signalbox, shows its user and signs out.
 * The last line is `N passed, N failed, N skipped`.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '../prefect/server-process.ts';
import { countsLine } from '../support/counts.ts';
import { ProgramMissing } from '../support/python-packages.ts';
import { prepareFastMcp, runFastMcp } from './client.ts';

const say = (line: string) => console.log(line);
const EMAIL = 'max@example.com';

interface Setting {
  readonly origin: string;
  readonly fastmcp: (argv: readonly string[], onUserCode?: (code: string) => void) => ReturnType<typeof runFastMcp>;
  readonly home: string;
  /** The decision about a code by the person at a browser. */
  readonly decide: (userCode: string, approve: boolean) => Promise<void>;
}

const scenarios: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  'without a sign-in there is no user': async ({ fastmcp }) => {
    const { code, answer } = await fastmcp(['whoami']);
    assert.notEqual(code, 0);
    assert.equal(answer.error.category, 'authentication_required');
  },
  'a refused code does not sign in': async ({ origin, fastmcp, decide }) => {
    const { code, answer, output } = await fastmcp(['login', '--host', origin], (shown) => void decide(shown, false));
    assert.notEqual(code, 0, output);
    assert.equal(answer.error.category, 'authorization_denied');
  },
  'an approved code signs in with a key of the person, and signing out deletes it': async (setting) => {
    const { origin, fastmcp, decide, home } = setting;
    const login = await fastmcp(['login', '--host', origin], (shown) => void decide(shown, true));
    assert.equal(login.code, 0, login.output);
    const whoami = await fastmcp(['whoami']);
    assert.equal(whoami.code, 0, whoami.output);
    assert.ok(whoami.output.includes(EMAIL), whoami.output);
    const { apiKey } = JSON.parse(await readFile(join(home, 'fastmcp/cli/auth.json'), 'utf8'));
    for (const { output } of [login, whoami]) assert.ok(!output.includes(apiKey), 'the key is not shown');
    const me = () => fetch(`${origin}/api/v0/me`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal((await me()).status, 200);
    const logout = await fastmcp(['logout']);
    assert.equal(logout.code, 0, logout.output);
    assert.equal((await me()).status, 401);
    assert.notEqual((await fastmcp(['whoami'])).code, 0);
  },
  'a key that was revoked in the meantime is reported': async ({ origin, fastmcp, decide, home }) => {
    const login = await fastmcp(['login', '--host', origin], (shown) => void decide(shown, true));
    assert.equal(login.code, 0, login.output);
    const { apiKey } = JSON.parse(await readFile(join(home, 'fastmcp/cli/auth.json'), 'utf8'));
    const headers = { authorization: `Bearer ${apiKey}` };
    assert.equal((await fetch(`${origin}/api/v0/me/api-key`, { method: 'DELETE', headers })).status, 204);
    const whoami = await fastmcp(['whoami']);
    assert.notEqual(whoami.code, 0);
    assert.equal(whoami.answer.error.category, 'authentication_invalid');
    assert.equal((await fastmcp(['logout'])).code, 0, 'signing out with a revoked key');
  },
};

/** A person who accepted an invitation and has a browser session. */
async function signInPerson(server: ServerProcess, origin: string): Promise<Record<string, string>> {
  const ada = 'ada@example.com';
  await server.operate(['users', 'create', '--email', ada, '--organization', 'default', '--role', 'admin']);
  const key = (await server.operate(['keys', 'create', '--user', ada, '--descriptor', 'test'])).trim();
  const json = { 'content-type': 'application/json' };
  const invited = await fetch(`${origin}/api/v0/organizations/default/invitations`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ email: EMAIL }),
  });
  const { token } = (await invited.json()) as { token: string };
  const accepted = await fetch(`${origin}/api/v0/invitations/${token}/accept`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ password: 'correct horse battery staple', name: 'Max' }),
  });
  const { csrfToken } = (await accepted.json()) as { csrfToken: string };
  const cookie = accepted.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { ...json, cookie, 'x-csrf-token': csrfToken };
}

async function main(program: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-fastmcp-'));
  const options = { kind: 'signalbox', folder: join(folder, 'server'), postgresUrl: undefined, python: '' } as const;
  const server = await ServerProcess.start(options);
  let [passed, failed] = [0, 0];
  try {
    const origin = new URL(server.url).origin;
    const browser = await signInPerson(server, origin);
    const decide = async (userCode: string, approve: boolean) => {
      const body = JSON.stringify({ userCode, approve });
      const { status } = await fetch(`${origin}/api/v0/oauth/device`, { method: 'POST', headers: browser, body });
      assert.equal(status, 204);
    };
    for (const [name, scenario] of Object.entries(scenarios)) {
      const home = await mkdtemp(join(folder, 'home-'));
      const fastmcp: Setting['fastmcp'] = (argv, onUserCode) => runFastMcp(program, home, argv, onUserCode);
      try {
        await scenario({ origin, fastmcp, home, decide });
        passed += 1;
        say(`ok    ${name}`);
      } catch (error) {
        failed += 1;
        say(`FAIL  ${name}\n${error instanceof Error ? error.stack : String(error)}\n${await server.logTail()}`);
      }
    }
  } finally {
    await server.stop('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
  say(countsLine({ passed, failed, skipped: 0 }));
  return failed;
}

try {
  process.exitCode = (await main(await prepareFastMcp(say))) === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof ProgramMissing)) throw error;
  say(`skip  ${error.message}\n0 passed, 0 failed, ${Object.keys(scenarios).length} skipped`);
}
