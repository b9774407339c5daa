/** Helm renders the chart with many values, and each resource has to be one that Kubernetes takes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ProgramMissing } from '../support/python-packages.ts';
import { prepareTools } from './tools.ts';
import { everything, refusals, renderings } from './values.ts';

const chart = join(import.meta.dirname, '../../../deploy/helm');
/** The oldest version that Chart.yaml names, and the newest that the validator knows. */
const VERSIONS = ['1.25', '1.37'];
const tools = await prepareTools(false, console.log).catch((error: unknown) => {
  if (error instanceof ProgramMissing) return error;
  throw error;
});
const missing = tools instanceof ProgramMissing ? tools.message : false;
const { helm, validator } = tools instanceof ProgramMissing ? { helm: '', validator: '' } : tools;
const folder = await mkdtemp(join(tmpdir(), 'signalbox-chart-'));
after(() => rm(folder, { recursive: true, force: true }));

function run(command: string, argv: readonly string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

async function render(values: object) {
  const file = join(folder, 'values.json');
  await writeFile(file, JSON.stringify(values));
  return run(helm, ['template', 'signalbox', chart, '--kube-version', '1.31.0', '--values', file]);
}

describe('the chart', () => {
  test('Helm finds nothing wrong in it', { skip: missing }, () => {
    const { code, output } = run(helm, ['lint', '--strict', chart]);
    assert.equal(code, 0, output);
  });

  for (const [name, values] of Object.entries(renderings)) {
    test(`Kubernetes takes what it makes of these values: ${name}`, { skip: missing }, async () => {
      const { code, output } = await render(values);
      assert.equal(code, 0, output);
      const file = join(folder, 'rendered.yaml');
      await writeFile(file, output);
      for (const version of VERSIONS) {
        const found = run(validator, ['--strict', '--quiet', '-k', version, file]);
        assert.equal(found.code, 0, `Kubernetes ${version}: ${found.output}`);
      }
    });
  }

  test('each value reaches the resources', { skip: missing }, async () => {
    const { output } = await render(everything.values);
    for (const text of everything.shown) assert.ok(output.includes(text), `${text}\n${output}`);
  });

  for (const [name, { values, says }] of Object.entries(refusals)) {
    test(name, { skip: missing }, async () => {
      const { code, output } = await render(values);
      assert.notEqual(code, 0);
      assert.ok(output.includes(says), output);
    });
  }
});
