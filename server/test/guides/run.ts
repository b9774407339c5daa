/** `npm run test:guides`: what the documentation shows, run as it stands there. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { countsLine } from '../support/counts.ts';
import { runTestFiles } from '../support/test-files.ts';
import { findPython } from './client.ts';

// Installs the Prefect client once, before the files run side by side.
await findPython();
const files = globSync('*.guide.ts', { cwd: import.meta.dirname }).map((file) => join(import.meta.dirname, file));
const counts = await runTestFiles(files, { atOnce: 4, secondTry: true });
console.log(countsLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
