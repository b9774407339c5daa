import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemOf } from './problem.ts';

const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  problemOf(status, body, new Headers(headers));

describe('an error answer', () => {
  test('is shown with its own sentence', () => {
    assert.equal(
      read(409, { detail: 'A variable with this name exists.' }).message,
      'A variable with this name exists.',
    );
    assert.equal(
      read(403, { error: { message: 'Only administrators do this.' } }).message,
      'Only administrators do this.',
    );
    assert.equal(read(422, { exception_detail: 'The limit is too high.' }).message, 'The limit is too high.');
  });

  test('names the fields of an invalid request', () => {
    const problem = read(422, {
      detail: 'Invalid request received.',
      exception_detail: [
        { loc: ['body', 'actions', 0, 'deployment_id'], msg: 'Field required' },
        { loc: ['body'], msg: 'Too long' },
      ],
    });
    assert.equal(problem.message, 'actions.0.deployment_id: Field required. Too long.');
    assert.deepEqual(problem.fields, [
      { path: ['actions', '0', 'deployment_id'], message: 'Field required.' },
      { path: [], message: 'Too long.' },
    ]);
  });

  test('names the fields of the platform as its forms do', () => {
    const details = [{ field: 'external.url', message: 'must be an address.' }];
    assert.deepEqual(read(422, { error: { message: 'The request is invalid.', details } }).fields, [
      { path: ['external', 'url'], message: 'must be an address.' },
    ]);
  });

  test('without a sentence is explained by its status', () => {
    assert.equal(read(401, undefined).message, 'You are not signed in.');
    assert.equal(read(503, '<html>Bad gateway</html>').message, 'The server is busy or its database is away.');
    assert.equal(read(418, null).message, 'The server answered 418.');
  });

  test('of any form is a sentence', () => {
    for (const body of [
      0,
      '',
      [],
      {},
      { detail: '' },
      { detail: [] },
      { detail: {} },
      { error: null },
      { error: 'no' },
      { error: { message: 3 } },
    ]) {
      assert.equal(read(404, body).message, 'There is nothing at this address.', JSON.stringify(body));
    }
  });

  test('says when to try again, where the server does', () => {
    assert.equal(read(429, {}, { 'retry-after': '7' }).retryAfterSeconds, 7);
    assert.equal(read(429, {}).retryAfterSeconds, undefined);
    assert.equal(read(429, {}, { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' }).retryAfterSeconds, undefined);
  });
});
