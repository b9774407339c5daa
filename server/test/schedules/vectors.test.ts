import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { DateRequest } from './date-request.ts';
import { datesOf } from './dates-of.ts';

const vectors: readonly (DateRequest & { readonly dates: string[] })[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/vectors.json'), 'utf8'),
);

describe('dates of schedules', () => {
  test('equal those of the reference, in all zones and at clock changes', () => {
    for (const { dates, ...request } of vectors) assert.deepEqual(datesOf(request), dates, JSON.stringify(request));
    assert.ok(vectors.length > 200, `only ${vectors.length} vectors`);
  });
});
