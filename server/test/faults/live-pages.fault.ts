/**
 * One viewer opens many streams of changes for pages while everything changes: the streams of another tenant are as
 * prompt as before, the event loop stays free, and the streams of a viewer whose key is revoked end.
 */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { limitHere } from '../support/machine.ts';
import { until } from '../support/until.ts';
import { count, p99, report, sendJson } from './harness.ts';
import { addNoisyViewer, type Noisy, startTwoTenants, type TwoTenants } from './two-tenants.ts';

const STREAMS = count(500, 2000);
const CHANGES = count(20, 100);
const WRITERS = 4;
const AT_ONCE = 50;
const LIMIT_MILLISECONDS = 1000;
const LIMIT_TURN_MILLISECONDS = 100;
const LIMIT_END_MILLISECONDS = 2000;

describe(`${STREAMS} streams of changes of one viewer`, () => {
  let tenants: TwoTenants;
  let noisy: Noisy;
  const requests: ClientRequest[] = [];
  let open = 0;
  before(async () => {
    tenants = await startTwoTenants(0);
    noisy = await addNoisyViewer(tenants);
  });
  after(async () => {
    for (const one of requests) one.destroy();
    await tenants.dispose();
  });

  async function openStream(api: string, headers: object, hear: (text: string) => void): Promise<void> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(`${api}/views/live`, { agent: false, headers: { ...headers } }, resolve);
      requests.push(asked.once('error', reject));
      asked.end();
    });
    assert.equal(answer.statusCode, 200);
    open += 1;
    answer.once('close', () => {
      open -= 1;
    });
    answer
      .on('error', () => {})
      .setEncoding('utf8')
      .on('data', hear);
  }

  test('another tenant hears of its changes as promptly, and a revoked key ends them all', async () => {
    const { server, headers, other } = tenants;
    let ownHeard = '';
    await openStream(other, headers, (text) => {
      ownHeard += text;
    });
    let heardOfNoise = 0;
    for (let left = STREAMS; left > 0; left -= AT_ONCE) {
      const some = Array.from({ length: Math.min(left, AT_ONCE) }, () =>
        openStream(noisy.api, noisy.viewer, () => {
          heardOfNoise += 1;
        }),
      );
      await Promise.all(some);
    }
    await server.longestTurn();
    let isOver = false;
    let writes = 0;
    const write = async (writer: number) => {
      while (!isOver) {
        const { status } = await sendJson(
          'POST',
          `${noisy.api}/flows/`,
          { name: `noise-${writer}-${writes++}` },
          headers,
        );
        assert.ok([201, 429, 503].includes(status), String(status));
      }
    };
    const noise = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const delays: number[] = [];
    for (let made = 0; made < CHANGES; made++) {
      const began = performance.now();
      const { text } = await sendJson('POST', `${other}/flows/`, { name: `change-${made}` }, headers);
      const { id } = JSON.parse(text) as { id: string };
      await until('it is heard', () => ownHeard.includes(id), 60);
      delays.push(performance.now() - began);
    }
    isOver = true;
    await Promise.all(noise);
    const longest = await server.longestTurn();
    const revoked = performance.now();
    noisy.revoke();
    const done = performance.now();
    await until('the streams of the revoked key have ended', () => open === 1, 60);
    const ended = performance.now() - done;
    const limit = limitHere(p99(delays), LIMIT_MILLISECONDS);
    report({
      test: '18',
      name: `changes of a tenant beside ${STREAMS} streams and ${writes} changes of another (${heardOfNoise} messages), p99`,
      value: `${p99(delays).toFixed(0)} ms; longest turn ${longest.toFixed(0)} ms; ended ${ended.toFixed(0)} ms after the command, which took ${(done - revoked).toFixed(0)} ms`,
      limit: `${limit.toFixed(0)} ms`,
    });
    assert.ok(p99(delays) <= limit, `p99 ${p99(delays)} ms`);
    assert.ok(longest <= limitHere(longest, LIMIT_TURN_MILLISECONDS), `a turn of ${longest} ms`);
    assert.ok(ended <= limitHere(ended, LIMIT_END_MILLISECONDS), `${ended} ms`);
    const { status } = await sendJson('GET', `${noisy.api}/flows/count`, undefined, noisy.viewer);
    assert.equal(status, 401);
  });
});
