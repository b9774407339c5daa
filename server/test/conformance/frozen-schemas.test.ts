import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../src/database/migrations/index.ts';
import { frozenSql, migrationsOf, releases, schemaSql } from '../upgrade/frozen-schemas.ts';

for (const release of releases) {
  for (const database of ['sqlite', 'postgres'] as const) {
    test(`the migrations of release ${release} are as they were on ${database}`, () => {
      const known = migrationsOf(release);
      assert.equal(
        schemaSql(release, database, known),
        frozenSql(release, database),
        'Databases of that release exist, and its migrations never run on them again: put the change into a new migration at the end of migrations/index.ts.',
      );
      assert.deepEqual(migrations.slice(0, known.length), known, 'new migrations come after the released ones');
    });
  }
}
