import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { readClientBody } from './client-message.ts';
import { ambiguityOf } from './unambiguous.ts';

const read = (value: unknown) => readClientBody(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

describe('messages', () => {
  test('a request, a notification and a response are distinguished', () => {
    const isRead = (value: object, message: object) =>
      assert.deepEqual(read(value), { kind: 'single', message, text: JSON.stringify(value), value });
    isRead({ jsonrpc: '2.0', id: 'a', method: 'ping' }, { kind: 'request', id: 'a', method: 'ping', params: {} });
    isRead({ jsonrpc: '2.0', method: 'x', params: { a: 1 } }, { kind: 'notification', method: 'x', params: { a: 1 } });
    for (const outcome of [{ result: {} }, { error: { code: 1, message: '' } }]) {
      isRead({ jsonrpc: '2.0', id: 0, ...outcome }, { kind: 'response', id: 0 });
    }
  });

  test('text that is not JSON is not a message', () => {
    for (const text of ['', ' ', '{', '{}x', "{'a':1}", '{"a":01}', 'NaN', '{"a":1,}', '\ufeff{}']) {
      const answer = read(text);
      assert.equal(answer.kind === 'refused' && answer.code, -32700, text);
    }
  });

  test('the id of a refused request is reported, so that it can be answered', () => {
    const answer = read({ jsonrpc: '1.0', id: 'mine', method: 'x' });
    assert.deepEqual(answer.kind === 'refused' && [answer.code, answer.id], [-32600, 'mine']);
  });

  test('protocol keys in another case are refused, other keys are not', () => {
    for (const extra of [
      '{"Id":2}',
      '{"ME\\u0054HOD":"x"}',
      '{"Params":{}}',
      '{"re\u017fult":{}}',
      '{"JSONRPC":"2.0"}',
    ]) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"ping",${extra.slice(1)}`;
      assert.equal(read(text).kind, 'refused', text);
    }
    assert.equal(read({ jsonrpc: '2.0', id: 1, method: 'ping', Other: 1, params: { ARGUMENTS: 1 } }).kind, 'single');
  });
});

describe('texts with two readings', () => {
  test('no JSON text that JavaScript writes has two readings', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        assert.equal(ambiguityOf(JSON.stringify(value), value), undefined);
        assert.equal(ambiguityOf(JSON.stringify(value, null, 2), value), undefined);
      }),
      { numRuns: 2000 },
    );
  });

  test('a duplicate key is found at any position and in any spelling', () => {
    const key = fc.string({ minLength: 1, maxLength: 5 });
    const escaped = (text: string) =>
      `"${[...text].flatMap((letter) => letter.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')}"`;
    fc.assert(
      fc.property(
        key,
        fc.array(fc.tuple(fc.uuid(), fc.jsonValue({ maxDepth: 3 })), { maxLength: 40 }),
        fc.nat(5),
        (name, others, depth) => {
          const members = others.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`);
          const object = `{${[`${JSON.stringify(name)}:1`, ...members, `${escaped(name)} : 2`].join(',')}}`;
          const text = `${'{"a":['.repeat(depth)}${object}${']}'.repeat(depth)}`;
          assert.notEqual(ambiguityOf(text, JSON.parse(text)), undefined, text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a hundred levels are read, and more are refused', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    assert.equal(ambiguityOf(nested(100), JSON.parse(nested(100))), undefined);
    assert.notEqual(ambiguityOf(nested(101), JSON.parse(nested(101))), undefined);
  });
});
