import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Field } from './fields.ts';
import { optionsFor, type Suggestion } from './options.ts';
import { conditionsOf, type ListFields, searchOf, withAdded } from './use-filters.ts';

const name: Field = { name: 'name', title: 'Name', kind: 'text', isPart: true };
const fields: readonly Field[] = [
  { name: 'state', title: 'State', kind: 'state' },
  { name: 'flow', title: 'Flow', kind: 'text' },
  { name: 'tries', title: 'Tries', kind: 'number' },
  {
    name: 'subflow',
    title: 'Subflows',
    kind: 'choice',
    choices: [
      ['yes', 'Only subflows'],
      ['no', 'Hidden'],
    ],
  },
  name,
];
const list: ListFields = {
  fields,
  text: 'name',
  hiding: { field: 'subflow', value: 'no', reveal: 'Show subflows', isOff: (given) => given.length > 0 },
};
const titles = (typed: string, suggestions?: readonly Suggestion[]) =>
  optionsFor(typed, { fields, textField: name, suggestions }).map(({ title }) => title);

describe('the filter line', () => {
  test('offers the fields, and those that begin with a word before a search for it', () => {
    assert.deepEqual(titles(''), ['State', 'Flow', 'Tries', 'Subflows', 'Name', 'Time']);
    assert.deepEqual(titles('fl'), ['Flow', 'Name contains “fl”']);
    assert.deepEqual(titles('quick fox'), ['Name contains “quick fox”']);
    assert.deepEqual(titles('fail'), ['Failed', 'Name contains “fail”']);
    assert.deepEqual(titles('state:failed fl'), ['Flow', 'Name contains “fl”']);
  });

  test('offers states by type with their names below, and those that programs have named', () => {
    assert.deepEqual(titles('state:fail'), ['Failed', 'Timed out']);
    assert.deepEqual(titles('state:wait'), ['Waits to retry', 'Waits for slot']);
    const seen = [{ value: 'Exploded', label: 'Exploded', count: 3 }];
    assert.deepEqual(titles('state:exp', seen), ['Exploded']);
  });

  test('offers the likeliest value first, and the typed one when it exists', () => {
    const seen = [
      { value: 'etl-nightly', label: 'etl-nightly', count: 90 },
      { value: 'etl', label: 'etl', count: 2 },
    ];
    assert.deepEqual(titles('flow:et', seen), ['etl-nightly', 'etl', 'Flow is “et”']);
    assert.deepEqual(titles('flow:etl', seen), ['etl', 'etl-nightly']);
    assert.deepEqual(titles('flow:night', seen), ['etl-nightly', 'Flow is “night”'], 'also before the server answers');
    assert.deepEqual(titles('-flow:x', []), ['Flow is not “x”']);
    assert.deepEqual(titles('name:et', seen), ['Name is “et”', 'etl-nightly', 'etl']);
  });

  test('says what is wrong, and offers what was meant', () => {
    assert.deepEqual(titles('flw:etl'), ['flow:etl', 'There is no field “flw”.']);
    assert.deepEqual(titles('tries:x'), ['Tries takes a number such as 3, >1 or <=5, not “x”.']);
  });

  test('begins a new part after a value in quotes', () => {
    const [first] = optionsFor('flow:"a b" tries:>1 since:2d', { fields, textField: name, suggestions: [] });
    assert.deepEqual(first?.filter?.conditions, [
      { field: 'flow', values: ['a b'] },
      { field: 'tries', values: ['>1'] },
    ]);
    assert.equal(first?.filter?.span, '2d');
  });

  test('keeps what was typed before the chosen value', () => {
    const [first] = optionsFor('state:failed flow:a,b -name:x flow:c', { fields, textField: name, suggestions: [] });
    assert.deepEqual(first?.filter?.conditions, [
      { field: 'state', values: ['failed'] },
      { field: 'flow', values: ['a', 'b', 'c'] },
      { field: 'name', not: true, values: ['x'] },
    ]);
  });
});

describe('what is hidden by itself', () => {
  const hidden = { field: 'subflow', values: ['no'] };
  const failed = { field: 'state', values: ['failed'] };

  test('is hidden in a bare address, and not in one that asks for something', () => {
    assert.deepEqual(conditionsOf({}, list), [hidden]);
    assert.deepEqual(conditionsOf({ state: 'failed' }, list), [failed]);
    assert.deepEqual(conditionsOf({ subflow: 'any' }, list), []);
    assert.deepEqual(conditionsOf({ subflow: 'yes' }, list), [{ field: 'subflow', values: ['yes'] }]);
  });

  test('stays hidden when more is asked, and stays shown when it was taken away', () => {
    for (const conditions of [[hidden], [hidden, failed], [failed], []]) {
      const again = conditionsOf(searchOf(conditions, list), list);
      assert.deepEqual(new Set(again), new Set(conditions));
    }
    assert.equal(searchOf([hidden], list)['subflow'], undefined);
  });
});

test('a value that is added leaves the condition that says the opposite', () => {
  const given = [
    { field: 'flow', values: ['a', 'b'] },
    { field: 'subflow', values: ['no'] },
  ];
  assert.deepEqual(withAdded(given, [{ field: 'flow', not: true, values: ['a'] }], list), [
    { field: 'flow', values: ['b'] },
    { field: 'subflow', values: ['no'] },
    { field: 'flow', not: true, values: ['a'] },
  ]);
  assert.deepEqual(withAdded(given, [{ field: 'subflow', values: ['yes'] }], list), [
    { field: 'flow', values: ['a', 'b'] },
    { field: 'subflow', values: ['yes'] },
  ]);
});
