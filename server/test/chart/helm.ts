/**
 * Helm, which renders the chart: that of the machine, or one that Go builds once below `.work` where that is asked for:
 * it takes minutes of both processors.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProgramMissing } from '../support/python-packages.ts';

const MODULE = 'helm.sh/helm/v3/cmd/helm@v3.19.5';
const folder = join(import.meta.dirname, '../../../.work/helm');

/** Throws ProgramMissing when the machine has no Helm and none is built. */
export function prepareHelm(mayBuild: boolean, say: (line: string) => void): string {
  if (spawnSync('helm', ['version']).status === 0) return 'helm';
  const helm = join(folder, 'helm');
  if (existsSync(helm)) return helm;
  if (!mayBuild) throw new ProgramMissing('Helm is missing; with Go, "npm run test:chart -- --build-helm" builds it');
  if (spawnSync('go', ['version']).status !== 0) throw new ProgramMissing('Helm is missing, and Go, which builds it');
  say(`building ${helm} from ${MODULE} (once)`);
  const { status, stderr } = spawnSync('go', ['install', MODULE], {
    env: { ...process.env, GOBIN: folder },
    encoding: 'utf8',
  });
  if (status !== 0) throw new ProgramMissing(`Helm cannot be built: ${stderr.trim().split('\n').at(-1)}`);
  return helm;
}
