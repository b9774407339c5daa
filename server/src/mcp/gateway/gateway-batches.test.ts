// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { charactersParsedIn, stepsOf } from '../../../test/support/steps.ts';
import { assertWithin, timedTest } from '../../../test/support/timed.ts';

describe('batches', () => {
  let gateway: TestGateway;
  let key: string;

  before(async () => {
    gateway = await startGateway();
    await gateway.register('batches');
    await gateway.register('counted');
    const quotas = [{ per: 'actor', tool: null, requestsPerMinute: 1_000_000, concurrentRequests: null }];
    await gateway.admin.put(`${ORGANIZATION}/servers/counted/limits`, { quotas });
    key = (await gateway.member('viewer@example.com')).key;
  });
  after(() => gateway.stop());

  /** Each message holds an escape, which could spell any key. */
  const batchOf = (messages: number, bytes: number) => {
    const text = 'x'.repeat(Math.floor(bytes / messages));
    const calls = Array.from({ length: messages }, (_, id) => JSON.stringify(callTool('echo', { text }, id)));
    return `[${calls.join(',').replaceAll('"x', '"\\u0078')}]`;
  };
  const sendBatch = async (slug: string, body: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await gateway.request('POST', servingUrl(slug), body, headers);
    assert.equal(answer.status, 200, answer.text.slice(0, 200));
  };

  for (const slug of ['batches', 'counted']) {
    test(`a body is parsed once, however many messages it holds: ${slug}`, async () => {
      for (const messages of [20, 40]) {
        const body = batchOf(messages, 200_000);
        const parsed = await charactersParsedIn(body, () => sendBatch(slug, body));
        // The server behind the gateway runs in this process and parses it too.
        assert.equal(parsed, 2 * body.length);
      }
    });

    test(`twice the messages take about twice the steps: ${slug}`, async () => {
      await sendBatch(slug, batchOf(10, 100_000));
      const steps = await stepsOf(() => sendBatch(slug, batchOf(200, 200_000)));
      const twice = await stepsOf(() => sendBatch(slug, batchOf(400, 400_000)));
      assert.ok(twice < 2.5 * steps, `${steps} steps, then ${twice}`);
    });
  }

  timedTest('a batch of a thousand messages in three megabytes is sent on in a moment', async () => {
    const body = batchOf(1000, 3_000_000);
    await assertWithin(1, () => sendBatch('batches', body));
  });
});
