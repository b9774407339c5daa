import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { databasesOfRun } from '../../../test/support/server.ts';
import { STAGES } from './stages.ts';

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly quota?: 'used up';
  readonly upstream?: 'away';
}

/** By stage: what one stage refuses or answers and all others let pass, and the answer. */
const faults: Readonly<Record<string, { readonly sent: Sent; readonly answer: RegExp }>> = {
  foreignPage: { sent: { headers: { origin: 'https://evil.example' } }, answer: /^403 .*this origin/ },
  crossOrigin: { sent: { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }, answer: /^204 / },
  admission: { sent: { headers: { authorization: 'Bearer unknown' } }, answer: /^401 / },
  body: { sent: { method: 'PUT' }, answer: /^405 .*Use POST, GET or DELETE/ },
  message: { sent: { body: '{' }, answer: /^400 / },
  quotas: { sent: { quota: 'used up' }, answer: /^429 / },
  forward: { sent: { upstream: 'away' }, answer: /^50[23] / },
};

for (const database of databasesOfRun) {
  describe(`the stages of a call on ${database}`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ database });
      for (const upstream of ['here', 'away']) {
        const url = upstream === 'away' ? 'http://127.0.0.1:1/mcp' : undefined;
        for (const quota of ['free', 'full']) {
          const slug = `${quota}-${upstream}`;
          const made = await gateway.register(slug, {}, url);
          assert.equal(made.status, 201, made.text);
          if (quota === 'free') continue;
          const quotas = [{ per: 'actor', requestsPerMinute: 1 }];
          const limits = await gateway.admin.put(`${ORGANIZATION}/servers/${slug}/limits`, { quotas });
          assert.equal(limits.status, 200, limits.text);
          await send({ quota: 'used up', ...(upstream === 'away' && { upstream }) });
        }
      }
    });
    after(() => gateway.stop());

    const send = async ({ method = 'POST', headers = {}, body, quota, upstream }: Sent): Promise<string> => {
      const slug = `${quota ? 'full' : 'free'}-${upstream ?? 'here'}`;
      const usual = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${gateway.admin.key}`,
      };
      const sent = body ?? JSON.stringify(callTool('echo'));
      const { status, text } = await gateway.request(method, servingUrl(slug), sent, { ...usual, ...headers });
      return `${status} ${text}`;
    };

    test('a call that no stage refuses is passed on', async () => {
      assert.match(await send({}), /^200 /);
    });

    const order = STAGES.map(({ stage }) => stage.name).filter((name) => name in faults);
    for (const [index, name] of order.entries()) {
      test(`${name} answers before the stages after it`, async () => {
        const { sent, answer } = faults[name]!;
        assert.match(await send(sent), answer);
        for (const later of order.slice(index + 1)) {
          const { headers, ...other } = faults[later]!.sent;
          const both = { ...other, ...sent, headers: { ...headers, ...sent.headers } };
          assert.match(await send(both), answer, `${name} and ${later}`);
        }
      });
    }

    test('each stage that is tried here is in the list once', () => {
      assert.deepEqual([...order].sort(), Object.keys(faults).sort());
    });
  });
}
