import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilities } from '../../test/factories.ts';
import { capabilitiesIn, inputSchemaOf } from './capability.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };

test('a server that was never read offers nothing', () => {
  assert.deepEqual(capabilitiesIn(null), []);
  assert.deepEqual(capabilitiesIn(capabilities()), []);
});

test('tools, resources and prompts have the name that policies use, and a title beside it', () => {
  const offered = capabilities({
    prompts: [{ name: 'plan', arguments: [] }],
    tools: [{ name: 'forecast', title: 'Weather forecast', description: 'Of a city', inputSchema }],
    resources: [
      { uri: 'file:///a', name: 'Notes' },
      { uri: 'file:///b', name: 'file:///b' },
    ],
    resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'Files' }],
  });
  assert.deepEqual(
    capabilitiesIn(offered).map(({ kind, name, title, description }) => [kind, name, title, description]),
    [
      ['tool', 'forecast', 'Weather forecast', 'Of a city'],
      ['resource', 'file:///a', 'Notes', ''],
      ['resource', 'file:///b', undefined, ''],
      ['resource', 'file:///{path}', 'Files', ''],
      ['prompt', 'plan', undefined, ''],
    ],
  );
});

test('the schemas of a tool are shown as JSON, and those it lacks are not', () => {
  const [tool] = capabilitiesIn(capabilities({ tools: [{ name: 'a', inputSchema }] }));
  assert.deepEqual(tool?.schemas, [{ title: 'Input', json: JSON.stringify(inputSchema, null, 2) }]);
});

test('texts that are none are not shown', () => {
  const [tool] = capabilitiesIn(capabilities({ tools: [{ name: 'a', title: 7, description: { evil: true } }] }));
  assert.deepEqual([tool?.title, tool?.description], [undefined, '']);
});

test('a tool is called with the fields of its schema, and without fields where it has none', () => {
  const offered = capabilities({ tools: [{ name: 'a', inputSchema }, { name: 'b' }, { name: 'c', inputSchema: 'x' }] });
  const empty = { type: 'object', properties: {} };
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => inputSchemaOf(offered, name)),
    [inputSchema, empty, empty, empty],
  );
  assert.deepEqual(inputSchemaOf(null, 'a'), empty);
});
