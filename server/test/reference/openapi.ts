import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareOpenApi } from './openapi-comparison.ts';

const FIXTURE = join(import.meta.dirname, '../conformance/fixtures/reference-openapi.json');
const DIFFERENCES_SHOWN = 6;

/**
 * Prints how our OpenAPI document differs from the reference's: from the fixture, or where there is none from a running
 * reference server. Returns how many operations and schemas agree and how many differ; missing operations are only
 * listed.
 */
export async function reportOpenApi(
  oursUrl: string,
  referenceUrl: string | undefined,
  write: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  const ours = await readDocument(oursUrl);
  const reference = existsSync(FIXTURE)
    ? (JSON.parse(await readFile(FIXTURE, 'utf8')) as unknown)
    : referenceUrl && (await readDocument(referenceUrl));
  if (!reference) throw new Error(`There is no ${FIXTURE}, and no reference server to read its OpenAPI document from.`);
  write('\nOpenAPI documents');
  if (!ours) {
    write(`  our server has no OpenAPI document at ${oursUrl}/openapi.json`);
    return { passed: 0, failed: 1 };
  }
  const { compared, meant, missingOperations, missingSchemas, extraOperations } = compareOpenApi(reference, ours);
  let failed = 0;
  for (const [name, differences] of compared) {
    if (differences.length === 0) continue;
    failed += 1;
    write(`  ${name}`);
    for (const difference of differences.slice(0, DIFFERENCES_SHOWN)) write(`    ${cut(difference)}`);
    if (differences.length > DIFFERENCES_SHOWN) write(`    and ${differences.length - DIFFERENCES_SHOWN} more`);
  }
  for (const [property, reason] of meant) write(`  ${property} differs: ${reason}`);
  if (missingOperations.length > 0) write(`  not built yet: ${missingOperations.join(', ')}`);
  if (missingSchemas.length > 0) write(`  schemas of those: ${missingSchemas.join(', ')}`);
  if (extraOperations.length > 0) write(`  only ours: ${extraOperations.join(', ')}`);
  const notBuilt = missingOperations.length;
  write(`  ${compared.size} operations and schemas compared, ${failed} differ, ${notBuilt} operations not built yet`);
  return { passed: compared.size - failed, failed };
}

async function readDocument(url: string): Promise<unknown> {
  const answer = await fetch(`${url.replace(/\/+$/, '')}/openapi.json`);
  return answer.ok ? ((await answer.json()) as unknown) : undefined;
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { ours: { type: 'string' }, reference: { type: 'string' } } });
  if (!values.ours)
    throw new Error('--ours must name the API base of a running Signalbox, such as http://127.0.0.1:4200/api');
  const { passed, failed } = await reportOpenApi(values.ours, values.reference, (line) =>
    process.stdout.write(`${line}\n`),
  );
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}
