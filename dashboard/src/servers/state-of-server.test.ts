import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mcpServer, serverDeployment, serverProcess } from '../../test/factories.ts';
import { type Given, stateOf } from './state-of-server.ts';

const external = (given: Parameters<typeof mcpServer>[0]) =>
  stateOf({ server: mcpServer(given), process: null, live: null });

describe('an external server', () => {
  test('answers once it has said what it offers', () => {
    assert.deepEqual(external({}), { kind: 'COMPLETED', name: 'Reachable' });
  });

  test('does not answer while its last answer was an error, which is the reason', () => {
    const { name, why } = external({ manifestError: 'It answered 502.' });
    assert.deepEqual([name, why], ['Does not answer', 'It answered 502.']);
  });

  test('was not asked yet', () => {
    assert.equal(external({ manifestReadAt: null }).name, 'Not asked yet');
  });
});

describe('a hosted server', () => {
  const hosted = (given: Parameters<typeof serverProcess>[0], server: Parameters<typeof mcpServer>[0] = {}) =>
    stateOf({
      server: mcpServer({ kind: 'hosted', ...server }),
      process: serverProcess(given),
      live: serverDeployment(),
    });

  test('without a build that is live is not deployed, whatever its program does', () => {
    const given: Given = {
      server: mcpServer({ kind: 'hosted' }),
      process: serverProcess({ stoppedAt: '2026-11-22T12:00:00Z' }),
      live: null,
    };
    assert.equal(stateOf(given).name, 'Not deployed');
  });

  test('that somebody stopped is stopped', () => {
    assert.equal(hosted({ state: 'stopped', stoppedAt: '2026-11-22T12:00:00Z' }).name, 'Stopped');
  });

  test('whose program ends again and again says why, and when it is tried again', () => {
    const failure = { state: 'waiting', lastFailure: 'It ended with code 1.', retryAfterSeconds: 8 } as const;
    assert.deepEqual(hosted(failure), {
      kind: 'FAILED',
      name: 'Fails to start',
      why: 'It ended with code 1. It is started again in 8 s.',
    });
    assert.equal(hosted({ ...failure, lastFailure: null }).why, 'It ended. It is started again in 8 s.');
  });

  test('starts, runs, and is ready while no program runs', () => {
    assert.deepEqual(
      (['starting', 'running', 'stopped'] as const).map((state) => hosted({ state }).name),
      ['Starting', 'Running', 'Ready'],
    );
  });

  test('whose program does not run does not answer while its last answer was an error', () => {
    assert.equal(hosted({ state: 'stopped' }, { manifestError: 'It sent no JSON.' }).name, 'Does not answer');
  });
});
