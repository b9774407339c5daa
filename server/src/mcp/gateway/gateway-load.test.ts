/**
 * Requests that wait for MCP servers, and request bodies that the server holds, have limits in total and for each
 * organization.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import { callTool, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import type { Config } from '../../config.ts';

const RESULT = { jsonrpc: '2.0', id: 1, result: { content: [] } };

/** Two organizations, each with a server that answers when the test lets it. */
class TwoOrganizations {
  readonly gateway: TestGateway;
  readonly waiting: ServerResponse[] = [];

  private constructor(gateway: TestGateway) {
    this.gateway = gateway;
    gateway.upstream.answerWith((_request, response) => this.waiting.push(response));
  }

  static async start(config: Partial<Config>): Promise<TwoOrganizations> {
    const gateway = await startGateway({ config });
    await gateway.register('held');
    const made = await gateway.admin.post('/organizations', { name: 'Other', slug: 'other' });
    assert.equal(made.status, 201, made.text);
    const server = {
      slug: 'held',
      name: 'held',
      kind: 'external',
      defaultRole: 'viewer',
      external: { url: gateway.upstream.url },
    };
    const registered = await gateway.admin.post('/organizations/other/servers', server);
    assert.equal(registered.status, 201, registered.text);
    return new TwoOrganizations(gateway);
  }

  call(organization: string, text = '') {
    const body = JSON.stringify(callTool('echo', { text }));
    return this.gateway.request('POST', `/servers/${organization}/held/mcp`, body, {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${this.gateway.admin.key}`,
    });
  }

  /** A call that reached its server and waits there. */
  async heldCall(organization: string, text?: string) {
    const before = this.waiting.length;
    const answer = this.call(organization, text);
    await until('the call', () => this.waiting.length > before);
    return { answer, response: this.waiting.at(-1)! };
  }

  /** The same, retried until there is room. */
  async place(organization: string) {
    for (;;) {
      const before = this.waiting.length;
      let isRefused = false;
      const answer = this.call(organization).then((one) => {
        isRefused = one.status === 503;
        return one;
      });
      await until('the call or its refusal', () => isRefused || this.waiting.length > before);
      if (!isRefused) return { answer, response: this.waiting.at(-1)! };
    }
  }

  async refused(organization: string, text?: string): Promise<void> {
    const answer = await this.call(organization, text);
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.headers['retry-after'], '1');
    assert.equal((answer.body as typeof RESULT & { error: { code: number } }).error.code, -31503);
  }
}

function finish(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(RESULT));
}

describe('requests that wait for MCP servers', () => {
  let two: TwoOrganizations;
  before(async () => {
    two = await TwoOrganizations.start({ maxServerRequests: 8 });
  });
  afterEach(() => {
    two.waiting.length = 0;
  });
  after(() => two.gateway.stop());

  test('of one organization leave room for those of another, and stop counting when they are answered', async () => {
    const held = [await two.heldCall('default'), await two.heldCall('default')];
    await two.refused('default');
    const other = await two.heldCall('other');
    for (const { response } of [...held, other]) finish(response);
    for (const { answer } of [...held, other]) assert.equal((await answer).status, 200);
    const next = await two.heldCall('default');
    finish(next.response);
    assert.equal((await next.answer).status, 200);
  });

  test('stop counting once their answer streams', async () => {
    const streams = [];
    for (let one = 0; one < 4; one++) {
      const { answer, response } = await two.heldCall('default');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n');
      streams.push({ answer, response });
      const next = await two.place('default');
      finish(next.response);
      assert.equal((await next.answer).status, 200);
    }
    for (const { answer, response } of streams) {
      response.end(`data: ${JSON.stringify(RESULT)}\n\n`);
      assert.equal((await answer).status, 200);
    }
  });

  test('past the total limit are refused before their bodies are read', async () => {
    const one = await TwoOrganizations.start({ maxServerRequests: 1 });
    const held = await one.heldCall('default');
    await one.refused('other');
    await one.refused('default');
    finish(held.response);
    assert.equal((await held.answer).status, 200);
    await one.gateway.stop();
  });
});

test('a body counts until its request is answered, and each organization has a limited share', async () => {
  const two = await TwoOrganizations.start({ maxBodyBytes: 100_000, maxReceivingBytes: 400_000 });
  const text = 'x'.repeat(70_000);
  const held = await two.heldCall('default', text);
  await two.refused('default', text);
  const other = await two.heldCall('other', text);
  finish(held.response);
  finish(other.response);
  assert.equal((await held.answer).status, 200);
  assert.equal((await other.answer).status, 200);
  const next = await two.heldCall('default', text);
  finish(next.response);
  assert.equal((await next.answer).status, 200);
  await two.gateway.stop();
});
