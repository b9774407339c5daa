// Writes the types of both APIs from the documents that the server prints. The results are not kept in the repository.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const dashboard = join(dirname(fileURLToPath(import.meta.url)), '..');
const server = join(dashboard, '..', 'server', 'src', 'main.js');

for (const [command, file] of [
  [['openapi'], 'schema.gen.ts'],
  [['openapi', 'platform'], 'platform.gen.ts'],
]) {
  const document = execFileSync(process.execPath, [server, ...command], { maxBuffer: 64 * 1024 * 1024 });
  // Defaults are filled in by the server, so a request may leave their fields out, and an answer has them.
  const types = astToString(await openapiTS(JSON.parse(document), { defaultNonNullable: false }));
  writeFileSync(join(dashboard, 'src', 'api', file), `/* Made by scripts/write-api-types.mjs. */\n${types}`);
}
