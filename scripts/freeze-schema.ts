/**
 * `node scripts/freeze-schema.ts RELEASE [LAST_MIGRATION]`: writes the schema of a release, on both databases, to
 * `server/test/upgrade/schemas`. From then on its migrations cannot be changed, and the tests of upgrades start from it.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../server/src/database/migrations/index.ts';
import { FOLDER, schemaSql } from '../server/test/upgrade/frozen-schemas.ts';

const [release, last = migrations.at(-1)?.name] = process.argv.slice(2);
const end = migrations.findIndex(({ name }) => name === last);
if (!release || end < 0) throw new Error('Usage: node scripts/freeze-schema.ts RELEASE [LAST_MIGRATION]');
for (const database of ['sqlite', 'postgres'] as const) {
  const file = join(FOLDER, `${release}.${database}.sql`);
  if (existsSync(file)) throw new Error(`${release} is frozen already: ${file}`);
  writeFileSync(file, schemaSql(release, database, migrations.slice(0, end + 1)));
  console.log(file);
}
