import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { Policy } from '../decide/policy.ts';
import { filterMessage } from './answer-filter.ts';
import { KeptLists } from './kept-lists.ts';

const view = new Policy([
  { id: '1', role: 'viewer', actorId: null, capability: 'tool', pattern: 'a*', effect: 'allow' },
]).viewOf('ada', 'viewer');
const filtered = (text: string) => filterMessage(text, view, 'legacy');

const id = fc.oneof(fc.string({ maxLength: 8 }), fc.integer());
const tool = fc.record({
  name: fc.constantFrom('a', 'ab', 'b', '"id":1'),
  id: fc.option(id, { nil: undefined }),
  x: fc.jsonValue({ maxDepth: 2 }),
});

describe('cached lists', () => {
  test('a cached answer equals a newly filtered one, for any list and any ids', () => {
    fc.assert(
      fc.property(
        fc.array(tool, { maxLength: 4 }),
        fc.array(id, { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        (tools, ids, first) => {
          const lists = new KeptLists();
          for (const one of ids) {
            const body = JSON.stringify(
              first ? { jsonrpc: '2.0', id: one, result: { tools } } : { result: { tools }, jsonrpc: '2.0', id: one },
            );
            const expected = filtered(body);
            assert.ok(expected !== undefined);
            const kept = lists.find('key', one, Buffer.from(body));
            if (kept) assert.equal(kept.toString('utf8'), expected);
            else lists.keep('key', one, Buffer.from(body), expected);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('another view or another list does not use it', () => {
    const lists = new KeptLists();
    const body = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}';
    lists.keep('viewer', 1, Buffer.from(body), filtered(body)!);
    assert.ok(lists.find('viewer', 1, Buffer.from(body)));
    assert.ok(lists.find('viewer', 22, Buffer.from(body.replace('"id":1', '"id":22'))));
    assert.equal(lists.find('editor', 1, Buffer.from(body)), undefined);
    assert.equal(lists.find('viewer', 1, Buffer.from(body.replace('"a"', '"c"'))), undefined);
    assert.equal(lists.find('viewer', 2, Buffer.from(body)), undefined);
  });
});

describe('filtered answers', () => {
  test('keys and methods written with escapes are filtered too', () => {
    assert.equal(
      filtered('{"jsonrpc":"2.0","id":1,"result":{"\\u0074ools":[{"name":"b"},{"n\\u0061me":"a"}]}}'),
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}',
    );
    const updated = '{"jsonrpc":"2.0","method":"notifications\\/resources\\/updated","params":{"uri":"x"}}';
    assert.equal(filtered(updated), undefined);
  });

  test('the last of a repeated key counts, as it does for the client', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","name":"b"}]}}';
    assert.equal(filtered(text), '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}');
  });

  test('text that is not a message is dropped when it could hold a list', () => {
    assert.equal(filtered('{"result":{"tools":[{"name":"b"}'), undefined);
  });

  test('an answer without a list is unchanged', () => {
    const text = '{ "jsonrpc":"2.0", "id":1.0, "result":{"a": 1e2} }';
    assert.equal(filtered(text), text);
  });
});
