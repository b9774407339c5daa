import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ValidationFailed } from '../../errors.ts';
import { jsonTextOf } from '../../values/json.ts';
import { checkParameterSize } from './parameter-size.ts';

const LIMIT = 524_288;

function refusal(parameters: unknown, limit: number): string | undefined {
  try {
    checkParameterSize(jsonTextOf(parameters), limit);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ValidationFailed);
    return error.issues[0]?.msg;
  }
}

// The sizes and texts are answers of the Prefect server.
describe('the size of parameters', () => {
  test('may be as large as the limit and no larger', () => {
    assert.equal(refusal({ a: 'x'.repeat(524_280) }, LIMIT), undefined);
    assert.equal(
      refusal({ a: 'x'.repeat(524_281) }, LIMIT),
      'Value error, Flow run parameters must be less than 524,288 bytes when serialized (got 524,289 bytes).',
    );
  });

  test('counts six bytes for a character outside ASCII', () => {
    assert.match(refusal({ a: 'é'.repeat(262_140) }, LIMIT) ?? '', /got 1,572,848 bytes/);
    assert.match(refusal({ a: 'é'.repeat(100_000) }, LIMIT) ?? '', /got 600,008 bytes/);
    assert.equal(refusal({ a: 'é'.repeat(80_000) }, LIMIT), undefined);
  });

  test('has no limit when the limit is zero', () => {
    assert.equal(refusal({ a: 'x'.repeat(LIMIT) }, 0), undefined);
  });
});
