/**
 * The time of an answer must not reveal what it hides: whether an account, key, organization, workspace, server or
 * object exists. The test alternates two kinds of requests with the same answer, and Welch's t compares their times.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { newId } from '../../src/id.ts';
import { newApiKey } from '../../src/identity/api-keys.ts';
import { createOperatorContext } from '../../src/platform/operator/operator.ts';
import { createOrganization } from '../../src/platform/operator/organizations.ts';
import { callerWith, person } from '../support/platform.ts';
import { type Answer, startServer } from '../support/server.ts';
import { count, full, report } from './harness.ts';

const SAMPLES = count(1500, 100_000);
const HASH_SAMPLES = count(40, 2000);
/** With the samples of a full run; with fewer, a machine that others share is not quiet enough to assert so little. */
const LIMIT = full ? 4.5 : 10;
/** The slowest are collections of garbage and other programs. Source: Reparaz and others, "dudect", 2017. */
const KEPT_SHARE = 0.9;

type Ask = () => Promise<Answer | boolean>;

test('no answer tells by its time what it hides', async (t) => {
  const server = await startServer({ config: { apiAuth: 'key' } });
  t.after(() => server.stop());
  await createOrganization(createOperatorContext(server.server.store, server.server.clock.now(), server.server), {
    slug: 'other',
    name: 'Other',
    admin: undefined,
  });
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
  const invited = await ada.post('/organizations/default/invitations', { email: 'new@example.com' });
  assert.equal(invited.status, 201);
  const unknown = callerWith(server, newApiKey().secret);
  const alike = callerWith(server, almost(ada.key));
  const asEve = { authorization: `Bearer ${eve.key}` };
  const absent = newId();
  const nowhere = `/accounts/${newId()}/workspaces/${newId()}`;
  const stored = await server.server.passwords.hash('correct horse battery');
  const mcp = (slug: string) => () =>
    server.request('POST', `/servers/default/${slug}/mcp`, '{"jsonrpc":"2.0","id":1,"method":"ping"}', {
      ...asEve,
      'content-type': 'application/json',
    });
  const pairs: [name: string, samples: number, one: Ask, other: Ask][] = [
    ['a key like one that exists, and any key', SAMPLES, () => alike.get('/me'), () => unknown.get('/me')],
    ['a key like one at /api', SAMPLES, () => flows(alike.key), () => flows(unknown.key)],
    [
      "another's organization, and none",
      SAMPLES,
      () => eve.get('/organizations/default/members'),
      () => eve.get('/organizations/nowhere/members'),
    ],
    [
      "another's workspace, and none",
      SAMPLES,
      () => server.get(`${foreign}/flows/${flow}`, asEve),
      () => server.get(`${nowhere}/flows/${flow}`, asEve),
    ],
    ["another's server, and none", SAMPLES, mcp('hidden'), mcp('nowhere')],
    [
      "another workspace's flow, and none",
      SAMPLES,
      () => server.get(`${ours}/flows/${flow}`, authorization),
      () => server.get(`${ours}/flows/${absent}`, authorization),
    ],
    [
      'the password of an account, and of none',
      HASH_SAMPLES,
      () => server.server.passwords.verify('a guess', stored, 'known'),
      () => server.server.passwords.verify('a guess', null, 'known'),
    ],
  ];
  function flows(key: string): Promise<Answer> {
    return server.post('/flows/filter', {}, { authorization: `Bearer ${key}` });
  }
  const told: string[] = [];
  for (const [name, samples, one, other] of pairs) {
    const answers = [await one(), await other()].map((answer) =>
      typeof answer === 'boolean' ? answer : [answer.status, answer.text],
    );
    assert.deepEqual(answers[0], answers[1], name);
    const [first, second] = await sample(samples, one, other);
    const score = Math.abs(welch(first, second));
    const [here, there] = [meanOf(first), meanOf(second)].map((mean) => `${(mean * 1000).toFixed(1)} µs`);
    report({ test: '31', name, value: `t ${score.toFixed(1)}; ${here} and ${there} of ${samples}`, limit: `${LIMIT}` });
    if (score >= LIMIT) told.push(`${name}: t ${score.toFixed(1)}, ${here} and ${there}`);
  }
  assert.deepEqual(told, []);
});

/** Milliseconds of each, asked in random order, without the slowest. */
async function sample(samples: number, one: Ask, other: Ask): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let warm = 0; warm < samples / 10; warm++) await (warm % 2 ? one() : other());
  for (let asked = 0; asked < samples * 2; asked++) {
    const which = Math.random() < 0.5 ? 0 : 1;
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
