/**
 * The time of an answer must not reveal what it hides: whether an account, key, organization, workspace, server or
 * object exists. The test alternates two kinds of requests with the same answer, and Welch's t compares their times.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { platformStatement } from '../../src/database/statement.ts';
import { newApiKey, newSecret } from '../../src/identity/keys/api-keys.ts';
import { createOperatorContext } from '../../src/platform/operator/operator.ts';
import { addOrganization } from '../../src/platform/organizations/operations.ts';
import { newId } from '../../src/values/id.ts';
import { askPlatform, callerWith, joinByInvitation, person } from '../support/platform.ts';
import { type Answer, databases, startServer } from '../support/server.ts';
import { count, full, report } from './harness.ts';

const SAMPLES = count(1500, 100_000);
const INVITATION_SAMPLES = count(300, 20_000);
const HASH_SAMPLES = count(40, 2000);
const password = 'correct horse battery staple';
/** With the samples of a full run; with fewer, a machine that others share is not quiet enough to assert so little. */
const LIMIT = full ? 4.5 : 10;
/** The slowest are garbage collections and other programs. Source: Reparaz and others, "dudect", 2017. */
const KEPT_SHARE = 0.9;

type Ask = () => Promise<Answer | boolean>;

/** Two requests that are answered alike. */
interface Pair {
  readonly name: string;
  readonly samples: number;
  readonly one: Ask;
  readonly other: Ask;
  /** Before each sample, outside the measured time. */
  readonly prepare?: () => Promise<unknown>;
}

/** As if nobody had guessed yet: guesses are limited, and a refusal by the limit is not what is measured. */
const forgetAttempts = platformStatement<Record<string, never>, unknown>((query) => query.deleteFrom('rate'));

for (const database of databases) {
  test(`no answer reveals by its time what it hides, on ${database}`, (t) => measure(t, database));
}

async function measure(t: TestContext, database: (typeof databases)[number]): Promise<void> {
  const server = await startServer({ database, config: { apiAuth: 'key' } });
  t.after(() => server.stop());
  const { change } = createOperatorContext(server.server.store, server.server.clock.now(), server.server);
  await addOrganization(change, { slug: 'other', name: 'Other' });
  const ada = await person(server, 'ada@example.com', 'admin');
  const eve = await person(server, 'eve@example.com', 'member', 'other');
  const ways = { external: { url: 'http://127.0.0.1:9/mcp' }, kind: 'external', visibility: 'concealed' };
  const registered = await ada.post('/organizations/default/servers', { slug: 'hidden', name: 'h', ...ways });
  assert.equal(registered.status, 201, registered.text);
  const [workspace] = (await ada.get('/organizations/default/workspaces')).body.items;
  const own = (await ada.post('/organizations/default/workspaces', { name: 'Own', handle: 'own' })).body;
  const [foreign, ours] = [workspace, own].map(
    ({ organizationId, id }) => `/accounts/${organizationId}/workspaces/${id}`,
  );
  const authorization = { authorization: `Bearer ${ada.key}` };
  const flow = (await server.post(`${foreign}/flows/`, { name: 'f' }, authorization)).body.id;
  const calm = () => server.server.store.platform.transaction((tx) => tx.run(forgetAttempts, {}));
  const { invitation, token } = (await ada.post('/organizations/default/invitations', { email: 'new@example.com' }))
    .body;
  assert.equal((await ada.delete(`/organizations/default/invitations/${invitation.id}`)).status, 204);
  const accept = (given: string) => () =>
    askPlatform(server, 'POST', `/invitations/${given}/accept`, { password, name: 'Someone' });
  await joinByInvitation(server, ada, 'bob@example.com', password);
  const signIn = (email: string) => () => askPlatform(server, 'POST', '/session', { email, password: 'a wrong guess' });
  const unknown = callerWith(server, newApiKey().secret);
  const alike = callerWith(server, almost(ada.key));
  const asEve = { authorization: `Bearer ${eve.key}` };
  const absent = newId();
  const nowhere = `/accounts/${newId()}/workspaces/${newId()}`;
  const stored = await server.server.passwords.hash(password);
  const mcp = (slug: string) => () =>
    server.request('POST', `/servers/default/${slug}/mcp`, '{"jsonrpc":"2.0","id":1,"method":"ping"}', {
      ...asEve,
      'content-type': 'application/json',
    });
  const samples = SAMPLES;
  const pairs: Pair[] = [
    {
      name: 'a key like one that exists, and any key',
      samples,
      one: () => alike.get('/me'),
      other: () => unknown.get('/me'),
    },
    { name: 'a key like one at /api', samples, one: () => flows(alike.key), other: () => flows(unknown.key) },
    {
      name: "another's organization, and none",
      samples,
      one: () => eve.get('/organizations/default/members'),
      other: () => eve.get('/organizations/nowhere/members'),
    },
    {
      name: "another's workspace, and none",
      samples,
      one: () => server.get(`${foreign}/flows/${flow}`, asEve),
      other: () => server.get(`${nowhere}/flows/${flow}`, asEve),
    },
    { name: "another's server, and none", samples, one: mcp('hidden'), other: mcp('nowhere') },
    {
      name: "another workspace's flow, and none",
      samples,
      one: () => server.get(`${ours}/flows/${flow}`, authorization),
      other: () => server.get(`${ours}/flows/${absent}`, authorization),
    },
    {
      name: 'an invitation that was revoked, and none',
      samples: INVITATION_SAMPLES,
      one: accept(token),
      other: accept(newSecret()),
      prepare: calm,
    },
    {
      name: 'the password of an account, and of none',
      samples: HASH_SAMPLES,
      one: () => server.server.passwords.verify('a guess', stored, 'known'),
      other: () => server.server.passwords.verify('a guess', null, 'known'),
    },
    {
      name: 'a sign-in to an account, and to none',
      samples: HASH_SAMPLES,
      one: signIn('bob@example.com'),
      other: signIn('nobody@example.com'),
      prepare: calm,
    },
  ];
  function flows(key: string): Promise<Answer> {
    return server.post('/flows/filter', {}, { authorization: `Bearer ${key}` });
  }
  const revealing: string[] = [];
  for (const pair of pairs) {
    const { name, one, other, prepare } = pair;
    const answers: unknown[] = [];
    for (const ask of [one, other]) {
      await prepare?.();
      const answer = await ask();
      answers.push(typeof answer === 'boolean' ? answer : [answer.status, answer.text]);
    }
    assert.deepEqual(answers[0], answers[1], name);
    const [first, second] = await sample(pair);
    const score = Math.abs(welch(first, second));
    const [here, there] = [meanOf(first), meanOf(second)].map((mean) => `${(mean * 1000).toFixed(1)} µs`);
    const value = `t ${score.toFixed(1)}; ${here} and ${there} of ${pair.samples}`;
    report({ test: '31', name: `${name} (${database})`, value, limit: `${LIMIT}` });
    if (score >= LIMIT) revealing.push(`${name}: ${value}`);
  }
  assert.deepEqual(revealing, []);
}

/** Milliseconds of each, asked in random order, without the slowest. */
async function sample({ samples, one, other, prepare }: Pair): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let warm = 0; warm < samples / 10; warm++) {
    await prepare?.();
    await (warm % 2 ? one() : other());
  }
  for (let asked = 0; asked < samples * 2; asked++) {
    const which = Math.random() < 0.5 ? 0 : 1;
    await prepare?.();
    const began = performance.now();
    await (which === 0 ? one() : other());
    times[which].push(performance.now() - began);
  }
  const limit = times.flat().sort((a, b) => a - b)[Math.floor(samples * 2 * KEPT_SHARE)] ?? 0;
  const kept = (all: number[]) => all.filter((time) => time <= limit);
  return [kept(times[0]), kept(times[1])];
}

function welch(first: readonly number[], second: readonly number[]): number {
  const spread = varianceOf(first) / first.length + varianceOf(second) / second.length;
  return (meanOf(first) - meanOf(second)) / Math.sqrt(spread);
}

function meanOf(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

function varianceOf(all: readonly number[]): number {
  const mean = meanOf(all);
  return all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (all.length - 1);
}

/** A well-formed key that differs from `key` in its last random character. */
function almost(key: string): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const body = key.slice(0, -7) + (key.at(-7) === 'a' ? 'b' : 'a');
  let checksum = '';
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) checksum = alphabet[rest % 62] + checksum;
  return body + checksum.padStart(6, '0');
}
