/**
 * `npm run test:chart [-- --build-helm]`: Helm renders the chart with many values, and each resource has to be one that Kubernetes takes.
 * The last line is `N passed, N failed, N skipped`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgramMissing, preparePackage } from '../support/python-packages.ts';
import { countsLine } from '../support/test-files.ts';
import { prepareHelm } from './helm.ts';
import { everything, refusals, renderings } from './values.ts';

const chart = join(import.meta.dirname, '../../../deploy/helm');
const VALIDATOR = 'kubernetes-validate==1.37.0';
/** The oldest version that Chart.yaml names and whose schemas the validator has, and the newest. */
const VERSIONS = ['1.25', '1.37'];
const counts = { passed: 0, failed: 0, skipped: 0 };
const folder = await mkdtemp(join(tmpdir(), 'signalbox-chart-'));
try {
  const say = (line: string) => console.log(line);
  const helm = prepareHelm(process.argv.includes('--build-helm'), say);
  const validator = join(await preparePackage('kubernetes-validate', VALIDATOR, say), 'kubernetes-validate');
  await runAll(helm, validator);
} catch (error) {
  if (!(error instanceof ProgramMissing)) throw error;
  console.log(`Skipped: ${error.message}.`);
  counts.skipped = Object.keys(renderings).length + Object.keys(refusals).length + 2;
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(countsLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;

async function runAll(helm: string, validator: string): Promise<void> {
  await check('Helm finds nothing wrong in the chart', () =>
    assert.equal(run(helm, ['lint', '--strict', chart]).code, 0),
  );
  for (const [name, values] of Object.entries(renderings)) {
    await check(name, async () => {
      const { code, output } = await render(helm, values);
      assert.equal(code, 0, output);
      const file = join(folder, 'rendered.yaml');
      await writeFile(file, output);
      for (const version of VERSIONS) {
        const found = run(validator, ['--strict', '--quiet', '-k', version, file]);
        assert.equal(found.code, 0, `Kubernetes ${version}: ${found.output}`);
      }
    });
  }
  await check('each value reaches the resources', async () => {
    const { output } = await render(helm, everything.values);
    for (const text of everything.shown) assert.ok(output.includes(text), `${text}\n${output}`);
  });
  for (const [name, { values, says }] of Object.entries(refusals)) {
    await check(name, async () => {
      const { code, output } = await render(helm, values);
      assert.notEqual(code, 0);
      assert.ok(output.includes(says), output);
    });
  }
}

async function render(helm: string, values: object): Promise<{ code: number | null; output: string }> {
  const file = join(folder, 'values.json');
  await writeFile(file, JSON.stringify(values));
  return run(helm, ['template', 'signalbox', chart, '--kube-version', '1.31.0', '--values', file]);
}

function run(command: string, argv: readonly string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

async function check(name: string, test: () => unknown): Promise<void> {
  try {
    await test();
    counts.passed += 1;
    console.log(`ok    ${name}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAIL  ${name}\n${error instanceof Error ? error.message : error}`);
  }
}
