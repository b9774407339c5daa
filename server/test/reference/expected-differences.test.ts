import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, type Finding } from './expected-differences.ts';

const answer = (status: number) => ({ status, headers: {}, text: '' });

function finding(route: string, reference: number, ours: number, path = '/flows/'): Finding {
  const request = { method: route.split(' ')[0] as string, path, headers: {} };
  const answers = { reference: answer(reference), ours: answer(ours) };
  return {
    kind: 'status',
    path: '',
    reference: String(reference),
    ours: String(ours),
    repeated: false,
    route,
    request,
    answers,
  };
}

test('refusing what the reference fails on is meant, and failing ourselves never is', () => {
  assert.match(String(explain(finding('POST /flows/', 500, 422))?.reason), /bad input/);
  assert.equal(explain(finding('POST /flows/', 500, 500)), undefined);
  assert.equal(explain(finding('POST /flows/', 422, 500)), undefined);
});

test('a list in place of "method not allowed" is meant for collections only', () => {
  assert.match(String(explain(finding('GET /flows/', 405, 200))?.reason), /collection/);
  assert.equal(explain(finding('GET /flows/filter', 405, 200, '/flows/filter')), undefined);
});

test('a bare number that kept its kind is meant, another number is not', () => {
  const number = (reference: string, ours: string): Finding => ({
    ...finding('GET /variables/{id}', 200, 200),
    kind: 'number kind',
    path: 'value',
    reference,
    ours,
  });
  assert.match(String(explain(number('1', '1.0'))?.reason), /bare number/);
  assert.equal(explain(number('1', '2.0')), undefined);
});
