/** `npm run test:chart [-- --build-helm]`: the Helm chart, rendered with many values. */
import { join } from 'node:path';
import { countsLine } from '../support/counts.ts';
import { ProgramMissing } from '../support/python-packages.ts';
import { runTestFiles } from '../support/test-files.ts';
import { prepareTools } from './tools.ts';

// Before the tests, which have a deadline. They say what they skip.
await prepareTools(process.argv.includes('--build-helm'), console.log).catch((error: unknown) => {
  if (!(error instanceof ProgramMissing)) throw error;
});
const counts = await runTestFiles([join(import.meta.dirname, 'rendered.chart.ts')], { atOnce: 1 });
console.log(countsLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
