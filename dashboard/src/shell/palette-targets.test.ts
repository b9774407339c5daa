import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { places } from './navigation.ts';
import { targetsOf } from './palette-targets.ts';

const act = () => {};
const offered = {
  places: places.flat(),
  permissions: ['variables:write', 'webhooks:write'] as const,
  actions: [
    { title: 'Switch this automation off', act },
    { title: 'Delete this automation', act },
  ],
};
const found = (text: string, given: Partial<Parameters<typeof targetsOf>[1]> = {}) =>
  targetsOf(text, { ...offered, ...given });
const named = (text: string, given?: Partial<Parameters<typeof targetsOf>[1]>) => {
  const { first, last } = found(text, given);
  return [first.map(({ name }) => name), last.map(({ name }) => name)];
};

describe('the palette', () => {
  test('offers all pages and nothing that acts before anything is typed', () => {
    const { first, last } = found('');
    assert.equal(first.length, places.flat().length);
    assert.deepEqual(last, []);
    assert.equal(
      first.every(({ kind }) => kind === 'Page'),
      true,
    );
  });

  test('has pages whose name begins with the text above those that contain it', () => {
    assert.deepEqual(named('se'), [['Settings'], ['MCP servers']]);
    assert.deepEqual(named('WORK'), [['Work pools', 'Workspaces'], []]);
  });

  test('finds actions and new objects by words in any order', () => {
    assert.deepEqual(named('off switch'), [['Switch this automation off'], []]);
    assert.deepEqual(named('variable new'), [['New variable'], []]);
    assert.deepEqual(named('automation'), [
      ['Automations', 'Switch this automation off', 'Delete this automation'],
      [],
    ]);
  });

  test('offers no new object that the person may not make', () => {
    assert.deepEqual(named('new'), [['New variable', 'New webhook'], []]);
    assert.deepEqual(named('new', { permissions: [] }), [[], []]);
  });

  test('does what the action of the page does', () => {
    let done = 0;
    const actions = [{ title: 'Start now', act: () => (done += 1) }];
    found('start', { actions }).first[0]?.act?.();
    assert.equal(done, 1);
  });

  test('leads to runs in a state, by the beginning of its name', () => {
    assert.deepEqual(
      found('state:ca').first.map(({ name, path }) => [name, path]),
      [
        ['Runs that are Cancelling', '/runs?state=CANCELLING'],
        ['Runs that are Cancelled', '/runs?state=CANCELLED'],
      ],
    );
    assert.deepEqual(named('State: late'), [['Runs that are Late'], []]);
    assert.deepEqual(named('state:nonsense'), [[], []]);
  });

  test('leads to runs with a tag and to runs with a name, whatever is in them', () => {
    const [tag] = found('tag:a&b=c #1').first;
    assert.deepEqual([tag?.name, tag?.path], ['Runs with the tag a&b=c #1', '/runs?tag=a%26b%3Dc+%231']);
    assert.equal(found('name:quick fox').first[0]?.path, '/runs?name=quick+fox');
    assert.deepEqual(named('tag:'), [[], []]);
  });

  test('finds nothing for a text that nothing contains, and takes it for no pattern', () => {
    for (const text of ['zzz', '.*', '(', '<b>']) assert.deepEqual(named(text), [[], []], text);
  });
});
