/** What renders the chart and what judges it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProgramMissing, preparePackage } from '../support/python-packages.ts';

const MODULE = 'helm.sh/helm/v3/cmd/helm@v3.19.5';
const VALIDATOR = 'kubernetes-validate';
const folder = join(import.meta.dirname, '../../../.work/helm');

export interface ChartTools {
  readonly helm: string;
  /** Knows the schemas of each version of Kubernetes. */
  readonly validator: string;
}

/** `mayBuild`: build Helm where it is missing. Throws ProgramMissing when this machine has not what they need. */
export async function prepareTools(mayBuild: boolean, say: (line: string) => void): Promise<ChartTools> {
  const helm = prepareHelm(mayBuild, say);
  const programs = await preparePackage(VALIDATOR, `${VALIDATOR}==1.37.0`, say);
  return { helm, validator: join(programs, VALIDATOR) };
}

/** That of the machine, or one that Go builds once below `.work`: it takes minutes of both processors. */
function prepareHelm(mayBuild: boolean, say: (line: string) => void): string {
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
