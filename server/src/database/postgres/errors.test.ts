import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IntegrityConflict, NotFound, Unavailable, Unprocessable } from '../../errors.ts';
import { refusesWrites, spoilsConnection, translateError } from './errors.ts';

function postgresError(code: string, message = 'refused'): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR' });
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'read' });
}

describe('errors of PostgreSQL', () => {
  const passing = [
    ...['08000', '08001', '08003', '08004', '08006', '08007', '08P01'],
    ...['25006', '25P03', '25P04', '40001', '40P01', '55P03', '57014'],
    ...['53000', '53100', '53200', '53300', '53400', '57P01', '57P02', '57P03', '57P05', '58000', '58030', '58P01'],
  ];
  for (const code of passing) {
    test(`${code} means that the same request may succeed later`, () => {
      const error = translateError(postgresError(code));
      assert.ok(error instanceof Unavailable && error.cause instanceof Error);
      assert.deepEqual(error.headers, { 'retry-after': '1' });
    });
  }

  const lost = [
    ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
    ...['EAI_AGAIN', 'EMFILE', 'ERR_STREAM_DESTROYED', 'ERR_SOCKET_CLOSED', 'EPROTO'],
  ].map(systemError);
  const told = [
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ].map((message) => new Error(message));
  for (const error of [...lost, ...told, new AggregateError(lost, '')]) {
    test(`"${error.message || error.name}" means that the connection is lost`, () => {
      assert.ok(translateError(error) instanceof Unavailable);
      assert.ok(spoilsConnection(translateError(error)));
    });
  }

  test('a duplicate or missing key is a conflict, and other errors pass unchanged', () => {
    assert.ok(translateError(postgresError('23505')) instanceof IntegrityConflict);
    assert.ok(translateError(postgresError('23503')) instanceof IntegrityConflict);
    for (const error of [postgresError('42703'), postgresError('22P02'), new TypeError('no'), new NotFound('no')]) {
      assert.equal(translateError(error), error);
      assert.ok(!spoilsConnection(error));
    }
  });

  test('a text that PostgreSQL cannot hold is the fault of the request', () => {
    assert.ok(translateError(postgresError('22021')) instanceof Unprocessable);
    assert.ok(!spoilsConnection(translateError(postgresError('22021'))));
  });

  test('a plan that another replica made stale is prepared again on another connection', () => {
    const error = translateError(postgresError('0A000', 'cached plan must not change result type'));
    assert.ok(error instanceof Unavailable && spoilsConnection(error));
    assert.ok(!(translateError(postgresError('0A000', 'feature not supported')) instanceof Unavailable));
  });

  test('a full disk and a standby refuse every write, a deadlock refuses one', () => {
    assert.ok(refusesWrites(translateError(postgresError('53100'))));
    assert.ok(refusesWrites(translateError(postgresError('25006'))));
    assert.ok(!refusesWrites(translateError(postgresError('40P01'))));
    assert.ok(!refusesWrites(new NotFound('no')));
  });
});
