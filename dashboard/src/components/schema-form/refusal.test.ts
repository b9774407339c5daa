import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../api/problem.ts';
import { problemsIn } from './refusal.ts';

test('a refused value is shown at its field', () => {
  const fields = [
    { path: ['parameters', 'regions', '1'], message: 'Not a region.' },
    { path: ['name'], message: 'Too long.' },
  ];
  const problem = new Problem(422, 'Invalid', undefined, fields);
  assert.deepEqual(problemsIn(problem, 'parameters'), [{ path: ['regions', '1'], message: 'Not a region.' }]);
});

test('a refusal that names the field in its sentence is shown there', () => {
  const sentence = "Validation failed for field 'address.street'. Failure reason: 7 is not of type 'string'";
  assert.deepEqual(problemsIn(new Problem(409, sentence), 'parameters'), [
    { path: ['address', 'street'], message: "7 is not of type 'string'." },
  ]);
});

test('any other refusal concerns the whole form', () => {
  assert.deepEqual(problemsIn(new Problem(503, 'The server is busy.'), 'parameters'), [
    { path: [], message: 'The server is busy.' },
  ]);
  assert.deepEqual(problemsIn(new Error('It broke.'), 'parameters'), [{ path: [], message: 'It broke.' }]);
  assert.deepEqual(problemsIn('It broke.', 'parameters'), [{ path: [], message: 'It broke.' }]);
});
