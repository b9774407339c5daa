/**
 * Devices sign in at two replicas on one PostgreSQL at once: people approve and refuse one code at the same moment while the
 * device polls both replicas, and lose their access meanwhile.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts';
import { count, FaultServer, report, runProgram } from './harness.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
const ROUNDS = count(30, 1000);
const ENDED = count(10, 200);
const POLLS = 6;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly body: any;
}

interface Somebody {
  readonly id: string;
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe('devices that sign in at two replicas', () => {
  let postgres: OwnPostgres | undefined;
  let replicas: FaultServer[] = [];
  let administrator: string;
  const environment = {
    SIGNALBOX_API_AUTH: 'key',
    SIGNALBOX_TRUSTED_PROXIES: '127.0.0.1',
    SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };

  /** Each request goes to the next replica. */
  let turn = 0;
  /** Of all requests; each round has its own, since the server counts the codes and guesses of an address. */
  let address = '192.0.2.1';
  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const replica = replicas[turn++ % replicas.length];
    const isForm = body instanceof URLSearchParams;
    const answer = await fetch(`${replica?.api}/v0${path}`, {
      method,
      headers: { 'x-forwarded-for': address, ...(isForm ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers };
  };
  const asAdministrator = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body, { authorization: `Bearer ${administrator}` });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  let made = 0;
  const somebody = async (): Promise<Somebody> => {
    const email = `member-${made++}@example.com`;
    const { token } = await asAdministrator('POST', '/organizations/default/invitations', { email });
    const joined = await ask('POST', `/invitations/${token}/accept`, { password: 'correct horse battery' });
    assert.equal(joined.status, 200, JSON.stringify(joined.body));
    const cookie = (joined.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    return { id: joined.body.user.id, email, headers: { cookie, 'x-csrf-token': joined.body.csrfToken } };
  };
  const begin = () => ask('POST', '/oauth/device/authorization', new URLSearchParams({ client_id: 'laptop' }));
  const poll = (device_code: string): Promise<Answer> =>
    ask(
      'POST',
      '/oauth/device/token',
      new URLSearchParams({ grant_type: GRANT_TYPE, client_id: 'laptop', device_code }),
    );
  const decide = (who: Somebody, userCode: string, approve: boolean): Promise<Answer> =>
    ask('POST', '/oauth/device', { userCode, approve }, who.headers);
  const ownerOf = async (key: string) => {
    const me = await ask('GET', '/me', undefined, { authorization: `Bearer ${key}` });
    return me.status === 200 ? (me.body.user.email as string) : undefined;
  };

  before(async () => {
    postgres = await startOwnPostgres();
    if (!postgres) return;
    const databaseUrl = await postgres.createDatabase();
    const first = await FaultServer.start({ databaseUrl, environment });
    replicas = [first, await FaultServer.start({ databaseUrl, environment })];
    const command = async (...words: string[]) => {
      const ran = await runProgram([...words, '--json'], { home: first.home, databaseUrl, environment });
      assert.equal(ran.code, 0, ran.output);
      return JSON.parse(ran.stdout);
    };
    await command('users', 'create', '--email', 'ada@example.com', '--role', 'admin');
    administrator = (await command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test')).secret;
  });
  after(async () => {
    for (const replica of replicas) await replica.dispose();
    await postgres?.stop();
  });

  test('one decision counts, and an approved device gets one key of the person who approved it', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    const people = [await somebody(), await somebody()];
    let keys = 0;
    const wrong: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      address = `198.18.${round >> 8}.${round % 256}`;
      const { device_code, user_code } = (await begin()).body;
      const decisions = people.flatMap((who) => [true, round % 3 === 0].map((approve) => ({ who, approve })));
      const [decided, polled] = await Promise.all([
        Promise.all(decisions.map(async (one) => ({ ...one, ...(await decide(one.who, user_code, one.approve)) }))),
        Promise.all(Array.from({ length: POLLS }, () => poll(device_code))),
      ]);
      const counted = decided.filter(({ status }) => status === 204);
      const [decision] = counted;
      const answers = [...polled, await poll(device_code)];
      const given = answers.filter(({ status }) => status === 200).map(({ body }) => body.access_token as string);
      keys += given.length;
      const owner = given[0] === undefined ? undefined : await ownerOf(given[0]);
      const expected = decision?.approve ? decision.who.email : undefined;
      const refusals = answers.map(({ body }) => body.error?.code ?? body.error ?? 'key');
      const isRefused = refusals.includes('access_denied');
      const right = counted.length === 1 && owner === expected && given.length === (expected ? 1 : 0);
      const isConsistent = right && isRefused !== decision?.approve;
      if (!isConsistent) wrong.push(`${decided.map(({ status }) => status)} ${decision?.approve} ${refusals}`);
    }
    report({
      test: '30',
      name: 'device codes with another outcome than the one decision',
      value: `${wrong.length} of ${ROUNDS}`,
      limit: '0',
    });
    assert.deepEqual(wrong.slice(0, 5), []);
    assert.ok(keys > 0);
  });

  test('a person whose access ends while the device polls leaves no key behind', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    let alive = 0;
    let given = 0;
    for (let round = 0; round < ENDED; round++) {
      address = `198.19.${round >> 8}.${round % 256}`;
      const who = await somebody();
      const { device_code, user_code } = (await begin()).body;
      const early = round % 2 === 0 ? await decide(who, user_code, true) : undefined;
      const [, , ...polled] = await Promise.all([
        asAdministrator('POST', `/users/${who.id}/suspend`),
        early ?? decide(who, user_code, true),
        ...Array.from({ length: POLLS }, () => poll(device_code)),
      ]);
      const answers = [...(polled as Answer[]), await poll(device_code)];
      const keys = answers.filter(({ status }) => status === 200).map(({ body }) => body.access_token as string);
      given += keys.length;
      for (const key of keys) if ((await ownerOf(key)) !== undefined) alive += 1;
      await asAdministrator('POST', `/users/${who.id}/reactivate`);
      for (const key of keys) if ((await ownerOf(key)) !== undefined) alive += 1;
      if ((await poll(device_code)).status === 200) alive += 1;
    }
    report({
      test: '30',
      name: 'keys of devices that outlive the access of the person',
      value: `${alive} of ${given}`,
      limit: '0',
    });
    assert.equal(alive, 0);
  });
});
