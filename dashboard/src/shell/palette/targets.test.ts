import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { places } from '../navigation.ts';
import { nearestTargets, targetsOf, withHits } from './targets.ts';

const act = () => {};
const offered = {
  places: places.flat(),
  permissions: ['variables:write', 'webhooks:write'] as const,
  actions: [
    { title: 'Switch this automation off', act },
    { title: 'Delete this automation', key: 'd', act },
  ],
  recents: [{ path: '/runs/flow-run/1', name: 'quick-otter', kind: 'Flow run' }],
  lists: [
    { path: '/runs', title: 'Runs', fields: { text: 'name', fields: [{ name: 'tag', title: 'Tag', kind: 'text' }] } },
  ] as const,
};
const found = (text: string, given: Partial<Parameters<typeof targetsOf>[1]> = {}) =>
  targetsOf(text, { ...offered, ...given });
const named = (text: string, given?: Partial<Parameters<typeof targetsOf>[1]>) => {
  const { first, last } = found(text, given);
  return [first.map(({ name }) => name), last.map(({ name }) => name)];
};

describe('the palette', () => {
  test('begins with the actions of the page and their keys, then what was opened last, then the pages', () => {
    const { first, last } = found('');
    assert.deepEqual(
      first.slice(0, 4).map(({ kind, name, shortcut }) => [kind, name, shortcut]),
      [
        ['Action', 'Switch this automation off', undefined],
        ['Action', 'Delete this automation', 'd'],
        ['Flow run', 'quick-otter', undefined],
        ['Page', 'Home', 'g h'],
      ],
    );
    assert.equal(first.length, places.flat().length + 3);
    assert.deepEqual(last, []);
  });

  test('finds what was opened last, and shows it once when the server finds it too', () => {
    const recent = { key: 'flow_run 1', kind: 'Flow run', name: 'quick-otter', path: '/runs/flow-run/1' };
    const other = { ...recent, key: 'flow_run 2', path: '/runs/flow-run/2' };
    assert.deepEqual(
      withHits(found('otter'), [recent, other]).map(({ path }) => path),
      ['/runs/flow-run/1', '/runs/flow-run/2'],
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

  test('offers no list of runs to a person who may not open it', () => {
    const people = places.flat().filter(({ path }) => path === '/people');
    assert.deepEqual(named('tag:prod'), [['Runs with tag prod'], []]);
    assert.deepEqual(named('tag:prod', { places: people }), [[], []]);
    assert.deepEqual(nearestTargets('tag:prod', { ...offered, places: people }), []);
  });

  test('finds nothing for a text that nothing contains, and takes it for no pattern', () => {
    for (const text of ['zzz', '.*', '(', '<b>']) assert.deepEqual(named(text), [[], []], text);
  });
});

describe('the nearest entries', () => {
  const nearest = (text: string) => nearestTargets(text, offered).map(({ name }) => name);

  test('forgive two letters that are wrong, missing, added or swapped', () => {
    for (const text of ['deploments', 'Dpeloyments', 'deplyments', 'deeployments', 'deploimants']) {
      assert.equal(nearest(text)[0], 'Deployments', text);
    }
    assert.equal(nearest('quikc')[0], 'quick-otter');
    assert.equal(nearest('automtion').includes('Automations'), true);
  });

  test('end with the runs that have the text in their names', () => {
    const [runs] = nearestTargets('zzzz & co', offered);
    assert.deepEqual([runs?.name, runs?.path], ['Runs with zzzz & co in their names', '/runs?name=zzzz+%26+co']);
  });

  test('stay few for a text that is not a word', () => {
    for (const text of ['x', 'a'.repeat(100_000), '💥💥💥']) assert.equal(nearest(text).length, 1, text.slice(0, 9));
  });
});
