import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  emptyDraft,
  firstChosen,
  type ImportOffer,
  type ImportQuestion,
  keyOf,
  missingIn,
  valuesOf,
} from './import-draft.ts';

const question = (given: Partial<ImportQuestion>): ImportQuestion => ({
  field: 'arguments',
  name: 'folder',
  description: null,
  placeholder: null,
  isRequired: false,
  isSecret: false,
  isRepeated: false,
  default: null,
  choices: [],
  ...given,
});
const offer = (questions: ImportQuestion[], given: Partial<ImportOffer> = {}): ImportOffer => ({
  from: 'packages.0',
  isFirstChoice: true,
  name: 'Files',
  slug: 'files',
  description: '',
  kind: 'hosted',
  source: 'npm files 1.0.0',
  questions,
  leftOut: [],
  problem: null,
  ...given,
});

test('what is needed is asked for until it is entered or has a default', () => {
  const needed = question({ isRequired: true });
  assert.equal(missingIn(offer([needed]), emptyDraft), 'folder');
  assert.equal(missingIn(offer([needed]), { ...emptyDraft, values: { [keyOf(needed)]: '/srv' } }), undefined);
  assert.equal(missingIn(offer([{ ...needed, default: '/srv' }]), emptyDraft), undefined);
});

test('values go to their fields, one that may be repeated as a list, and empty ones nowhere', () => {
  const questions = [
    question({ isRepeated: true }),
    question({ field: 'environment', name: 'KEY', isSecret: true }),
    question({ field: 'headers', name: 'X-Key' }),
    question({ field: 'variables', name: 'region', default: 'eu' }),
  ];
  const values = { 'arguments.folder': '/a\n\n/b', 'environment.KEY': 'k', 'headers.X-Key': '' };
  assert.deepEqual(valuesOf(offer(questions), { ...emptyDraft, values }), {
    variables: { region: 'eu' },
    headers: {},
    environment: { KEY: 'k' },
    arguments: { folder: ['/a', '/b'] },
  });
});

test('of each server the first that can be imported is chosen', () => {
  const problem = { code: 'packages_not_supported', field: 'serverJson', message: 'No.' };
  const offers = [
    offer([], { from: 'a' }),
    offer([], { from: 'b', isFirstChoice: false }),
    offer([], { from: 'c', problem }),
    offer([], { from: 'd' }),
  ];
  assert.deepEqual([...firstChosen(offers)], ['a', 'd']);
});
