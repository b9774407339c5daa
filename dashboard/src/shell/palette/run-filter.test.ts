import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runsWith } from './run-filter.ts';

const paths = (text: string) => runsWith(text).map(({ path }) => path);
const names = (text: string) => runsWith(text).map(({ name }) => name);

describe('a typed filter of runs', () => {
  test('offers the states that begin like the text', () => {
    assert.deepEqual(names('state:ca'), ['Runs that are Cancelling', 'Runs that are Cancelled']);
    assert.deepEqual(paths('State: late'), ['/runs?state=LATE']);
    assert.deepEqual(paths('state:nonsense'), []);
  });

  test('joins its conditions', () => {
    assert.deepEqual(paths('state:failed flow:etl -tag:prod since:2d'), [
      '/runs?state=FAILED&flow=etl&tag=%21prod&span=2d',
    ]);
    assert.deepEqual(names('state:failed flow:etl -tag:prod'), [
      'Runs that are Failed, whose flow is etl, without the tag prod',
    ]);
    assert.deepEqual(paths('state:failed state:crashed'), ['/runs?state=FAILED%2CCRASHED']);
  });

  test('keeps a value with spaces together in quotes, whatever is in it', () => {
    assert.deepEqual(paths('flow:"daily sales" tag:a&b=c'), ['/runs?flow=daily+sales&tag=a%26b%3Dc']);
  });

  test('is also a phrase, and is not disturbed by what is not typed to its end', () => {
    assert.deepEqual(paths('failed runs'), ['/runs?state=FAILED']);
    assert.deepEqual(paths('Late flow-runs'), ['/runs?state=LATE']);
    assert.deepEqual(paths('state:failed flow'), ['/runs?state=FAILED']);
    assert.deepEqual(paths('state:failed flow:'), ['/runs?state=FAILED']);
  });

  test('leaves other texts to other entries', () => {
    for (const text of ['', 'runs', 'tag:', 'failed-import', 'etl state:failed', 'https://example.org', '(']) {
      assert.deepEqual(paths(text), [], text);
    }
  });
});
