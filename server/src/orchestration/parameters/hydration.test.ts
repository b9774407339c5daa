import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { jsonTextOf } from '../../values/json.ts';
import { HydrationError, hydrate } from './hydration.ts';

const kind = (__prefect_kind: unknown, fields: object = {}) => ({ __prefect_kind, ...fields });
const json = (value: unknown) => kind('json', { value });
const jinja = (template: unknown) => kind('jinja', { template });
const variable = (variable_name: unknown) => kind('workspace_variable', { variable_name });

// The outcomes are those of the Prefect server.
for (const database of databases) {
  describe(`placeholders in parameters on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
      await server.post('/variables/', { name: 'region', value: 'eu' });
      await server.post('/variables/', '{"name":"sizes","value":{"a":1.0,"b":[null]}}');
      await server.post('/variables/', { name: 'nested', value: json('5') });
    });
    after(() => server.stop());

    const fill = (value: unknown) => hydrate(server.context().db, jsonTextOf({ x: value }));
    const fault = async (value: unknown) => {
      try {
        return `filled in: ${await fill(value)}`;
      } catch (error) {
        assert.ok(error instanceof HydrationError);
        return error.message;
      }
    };

    test('are filled in at any depth', async () => {
      const cases: readonly (readonly [unknown, string])[] = [
        [5, '{"x":5}'],
        ['{{ x }}', '{"x":"{{ x }}"}'],
        [kind('none', { value: [json('[1]')] }), '{"x":[[1]]}'],
        [json('{"a":1.0,"b":[1,2]}'), '{"x":{"a":1.0,"b":[1,2]}}'],
        [json({ a: json('7') }), '{"x":{"a":7}}'],
        [json(jinja('{"a": {{ 1 + 1 }}}')), '{"x":{"a":2}}'],
        [jinja({ id: 1 }), '{"x":{"id":1}}'],
        [jinja(['a', 1]), '{"x":["a",1]}'],
        [jinja('a{% for i in [1, 2] %}{{ i }}{% endfor %}{{ nothing.at.all }}'), '{"x":"a12"}'],
        [variable('region'), '{"x":"eu"}'],
        [variable('sizes'), '{"x":{"a":1.0,"b":[null]}}'],
        [[{ deep: variable(jinja('reg{{ "ion" }}')) }], '{"x":[{"deep":"eu"}]}'],
      ];
      for (const [value, expected] of cases) assert.equal(await fill(value), expected);
    });

    test('are not searched for in the value of another', async () => {
      assert.equal(await fill(variable('nested')), '{"x":{"__prefect_kind":"json","value":"5"}}');
      assert.equal(await fill(json(JSON.stringify(json('7')))), '{"x":{"__prefect_kind":"json","value":"7"}}');
    });

    test('without a value are removed', async () => {
      assert.equal(await fill(kind('json')), '{}');
      assert.equal(await fill([kind('workspace_variable'), 1]), '{"x":[1]}');
      assert.equal(await fill({ a: kind('none', { value: kind('json') }), b: 1 }), '{"x":{"b":1}}');
    });

    test('of an unknown type keep their value', async () => {
      assert.equal(await fill(kind('other', { value: [1] })), '{"x":[1]}');
      assert.equal(await fill(kind(null)), '{"x":null}');
    });

    test('that cannot be filled in give the reason', async () => {
      assert.equal(await fault(kind('none')), "Missing 'value' key in __prefect object");
      assert.equal(await fault(kind('jinja')), "Missing 'template' key in __prefect object");
      assert.equal(await fault(json('[1,\n]')), 'Invalid JSON: Expecting value: line 2 column 1 (char 4)');
      assert.equal(await fault(variable('nope')), "Variable 'nope' not found in workspace.");
      assert.equal(await fault(variable(null)), "Variable 'None' not found in workspace.");
      assert.equal(await fault(jinja('{{')), "Invalid jinja: unexpected 'end of template'");
      assert.equal(
        await fault(jinja('{{ 1 / 0 }}')),
        "Invalid jinja: Failed to render template due to the following error: ZeroDivisionError('division by zero')",
      );
      assert.match(await fault(jinja(5)), /^Invalid jinja: /);
    });

    test('share one budget, so many templates take no longer than one', async () => {
      const costly =
        '{% for a in range(100) %}{% for b in range(100) %}{{ range(9)|list|tojson }}{% endfor %}{% endfor %}';
      assert.match(await fill(jinja(costly)), /^\{"x":"\[0/);
      assert.match(await fault(Array.from({ length: 50 }, () => jinja(costly))), /takes too long/);
    });
  });
}
