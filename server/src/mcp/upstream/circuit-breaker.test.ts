import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitBreaker } from './circuit-breaker.ts';
import { type AnswerSink, type Upstream, UpstreamError, type UpstreamFault } from './upstream.ts';

const request = { method: 'POST', headers: {}, body: null } as const;

/** An upstream whose requests a test answers by hand. */
function setUp() {
  let now = 0;
  const pending: AnswerSink[] = [];
  const upstream: Upstream = {
    send: (_request, sink) => {
      pending.push(sink);
      return { abort: () => {}, resume: () => {} };
    },
  };
  const breaker = new CircuitBreaker(upstream, () => now);
  const send = () => {
    const outcome: { fault?: UpstreamFault; retryAfterSeconds?: number | undefined } = {};
    const call = breaker.send(
      { ...request, headers: {} },
      {
        begin: () => {},
        data: () => true,
        end: () => {},
        fail: ({ fault, retryAfterSeconds }) => Object.assign(outcome, { fault, retryAfterSeconds }),
      },
    );
    return { outcome, call };
  };
  const fail = (fault: UpstreamFault) => {
    send();
    pending.pop()?.fail(new UpstreamError(fault, 'no'));
  };
  return { pending, send, fail, pass: (milliseconds: number) => (now += milliseconds) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a server that fails repeatedly', () => {
  test('rests after five failures in a row, and callers learn when to retry', async () => {
    const { pending, send, fail } = setUp();
    for (let count = 0; count < 5; count++) fail('connection');
    const { outcome } = send();
    await settled();
    assert.deepEqual(outcome, { fault: 'unavailable', retryAfterSeconds: 10 });
    assert.equal(pending.length, 0);
  });

  test('gets one trial request after the pause, and all requests once that is answered', async () => {
    const { pending, send, fail, pass } = setUp();
    for (let count = 0; count < 5; count++) fail('timeout');
    pass(10_000);
    send();
    const second = send();
    await settled();
    assert.equal(pending.length, 1);
    assert.equal(second.outcome.fault, 'unavailable');
    pending.pop()?.begin(200, {});
    send();
    assert.equal(pending.length, 1);
  });

  test('rests again when the trial request fails', async () => {
    const { pending, send, fail, pass } = setUp();
    for (let count = 0; count < 5; count++) fail('connection');
    pass(10_000);
    fail('connection');
    const { outcome } = send();
    await settled();
    assert.equal(outcome.fault, 'unavailable');
    assert.equal(pending.length, 0);
  });

  test('gets another trial request when the caller of the first one leaves', () => {
    const { pending, send, fail, pass } = setUp();
    for (let count = 0; count < 5; count++) fail('connection');
    pass(10_000);
    send().call.abort();
    send();
    assert.equal(pending.length, 2);
  });

  test('failures unrelated to its health do not count, and an answer resets the count', () => {
    const { pending, send, fail } = setUp();
    for (let count = 0; count < 20; count++) fail('refused');
    for (let count = 0; count < 20; count++) fail('answer');
    for (let count = 0; count < 4; count++) fail('connection');
    send();
    pending.pop()?.begin(500, {});
    for (let count = 0; count < 4; count++) fail('connection');
    send();
    assert.equal(pending.length, 1);
  });
});
