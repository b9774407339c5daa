/** Tests single stages. `../stages.test.ts` tests their order through the gateway. */
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { readConfig } from '../../../config.ts';
import { PageGuard } from '../../../network/page-guard.ts';
import { ServersOrigin } from '../../../network/servers-origin.ts';
import { idAt } from '../../../values/id.ts';
import { HostCheck } from '../arrive/host-check.ts';
import { RequestReceiver } from '../arrive/receive-request.ts';
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import type { Screened } from '../decide/screen.ts';
import { Exchange } from '../record/exchange.ts';
import { STAGES } from '../stages.ts';
import { Call } from '../way/call.ts';
import { ENDED } from '../way/run-stages.ts';
import type { StageParts } from '../way/stage-parts.ts';

interface Given {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly arrival?: 'key' | 'session';
  readonly access?: object;
}

function callOf({ method = 'POST', headers = {}, arrival = 'key', access = {} }: Given): Call {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.url = '/servers/default/one/mcp';
  request.headers = { host: '127.0.0.1:4200', ...headers };
  request.rawHeaders = Object.entries(request.headers).flat() as string[];
  const exchange = new Exchange(request, new ServerResponse(request), Date.now() * 1000);
  const call = new Call(exchange, arrival, (known) => known(access as ServerAccess));
  call.access = access as ServerAccess;
  return call;
}

/** What the stage answers: `goes on`, `ended`, or the status of its refusal. */
async function outcome(name: string, call: Call, parts: Partial<StageParts> = {}): Promise<string | number> {
  const found = STAGES.find(({ stage }) => stage.name === name);
  assert.ok(found, `there is no stage ${name}`);
  const ended = await found.stage(call, parts as StageParts);
  assert.ok(typeof ended !== 'function', `${name} calls back`);
  return ended === undefined ? 'goes on' : ended === ENDED ? 'ended' : ended.status;
}

const config = readConfig({}, {});
const server = { id: idAt(0), organization_id: idAt(1), authentication: 'platform', limits: '{"quotas":[]}' };

describe('a stage by itself', () => {
  test('places refuses where as many requests wait as may', async () => {
    const receiver = (maxServerRequests: number) =>
      new RequestReceiver({} as never, 1, { serverRequests: maxServerRequests });
    assert.equal(await outcome('places', callOf({}), { receiver: receiver(0) }), 503);
    assert.equal(await outcome('places', callOf({}), { receiver: receiver(1) }), 'goes on');
  });

  test('foreignPage refuses a page of another origin, and a host name from elsewhere', async () => {
    const hostCheck = new HostCheck(config);
    const refused: Record<string, string>[] = [{ origin: 'https://evil.example' }, { host: 'evil.example' }];
    for (const headers of refused) assert.equal(await outcome('foreignPage', callOf({ headers }), { hostCheck }), 403);
    const own = { origin: 'http://127.0.0.1:4200' };
    assert.equal(await outcome('foreignPage', callOf({ headers: own }), { hostCheck }), 'goes on');
  });

  test('serversOrigin refuses other host names than that of the servers', async () => {
    const apart = readConfig({}, { SIGNALBOX_SERVERS_URL: 'https://mcp.example' });
    const parts = { config: apart, serversOrigin: new ServersOrigin(apart) };
    assert.equal(await outcome('serversOrigin', callOf({}), parts), 404);
    assert.equal(await outcome('serversOrigin', callOf({ headers: { host: 'mcp.example' } }), parts), 'goes on');
  });

  test('hostName refuses names that foreign pages may use, and hostNameOfOpenApi only where the API is open', async () => {
    const headers = { host: 'rebound.example' };
    for (const apiAuth of ['open', 'key'] as const) {
      const parts = { config: { ...config, apiAuth }, pageGuard: new PageGuard({ ...config, apiAuth }) };
      assert.equal(await outcome('hostName', callOf({ headers }), parts), 403);
      assert.equal(
        await outcome('hostNameOfOpenApi', callOf({ headers }), parts),
        apiAuth === 'open' ? 403 : 'goes on',
      );
    }
  });

  test('crossOrigin answers a preflight request and lets the page read answers', async () => {
    const origin = 'http://127.0.0.1:4200';
    const preflight = callOf({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    assert.equal(await outcome('crossOrigin', preflight), 'ended');
    assert.equal(preflight.response.statusCode, 204);
    const call = callOf({ headers: { origin } });
    assert.equal(await outcome('crossOrigin', call), 'goes on');
    assert.equal(call.response.getHeader('access-control-allow-origin'), origin);
  });

  test('ownAuthentication makes a call untouched, and refuses it from the dashboard', async () => {
    const access = { server: { ...server, authentication: 'none' } };
    const call = callOf({ access });
    assert.equal(await outcome('ownAuthentication', call), 'goes on');
    assert.equal(call.arrival, 'untouched');
    assert.equal(await outcome('ownAuthentication', callOf({ access, arrival: 'session' })), 403);
    const usual = callOf({ access: { server } });
    assert.equal(await outcome('ownAuthentication', usual), 'goes on');
    assert.equal(usual.arrival, 'key');
  });

  test('admissionAfterBody asks again only when the body took long', async () => {
    const call = callOf({ access: { server } });
    const decide = () => ({ reason: 'no role', denied: true, refusal: { status: 403, code: -32000, message: 'No.' } });
    const admissions = { decide } as unknown as StageParts['admissions'];
    call.admittedAt = Number.POSITIVE_INFINITY;
    assert.equal(await outcome('admissionAfterBody', call, { admissions }), 'goes on');
    call.admittedAt = Number.NEGATIVE_INFINITY;
    assert.equal(await outcome('admissionAfterBody', call, { admissions }), 403);
    assert.deepEqual([call.exchange.decision, call.exchange.reason], ['denied', 'no role']);
  });

  test('scope refuses what the person has not allowed the client', async () => {
    const scoped = (scope: string) => {
      const call = callOf({});
      const access = { server, connection: { id: idAt(2), scope } } as unknown as ServerAccess;
      call.admitted = { server: server as unknown as ServerFacts, access } as Call['admitted'];
      call.screened = { method: 'tools/call' } as Screened;
      return call;
    };
    assert.equal(await outcome('scope', scoped('mcp:read'), { config }), 403);
    assert.equal(await outcome('scope', scoped('mcp:read mcp:call'), { config }), 'goes on');
  });
});
