/** The commands of the first steps, for this installation and this workspace. They need a POSIX shell. */
import { quoted } from '../api/shell-word.ts';
import { type ClientPlace, clientLines } from '../keys/client-lines.ts';

/** The facts on which the commands depend. */
export interface Installation extends ClientPlace {
  readonly prefectVersion: string;
}

export type Installer = 'uv' | 'pip';

export const POOL = 'laptop';
const DEPLOYMENT = 'every-hour';
export const DEPLOYED = `hello/${DEPLOYMENT}`;

/** True if a client shows a key; a workspace behind a hosted address always requires one. */
export function needsKey({ workspace, apiAuth }: Pick<ClientPlace, 'workspace' | 'apiAuth'>): boolean {
  return workspace !== undefined || apiAuth === 'key';
}

export function installCommands(
  installer: Installer,
  { prefectVersion }: Pick<Installation, 'prefectVersion'>,
): string {
  const wanted = `prefect==${prefectVersion}`;
  return installer === 'uv'
    ? `uv venv .venv && . .venv/bin/activate\nuv pip install ${wanted}`
    : `python3 -m venv .venv && . .venv/bin/activate\npip install ${wanted}`;
}

export function connectCommands(installation: Installation, secret: string | undefined): string {
  return [...clientLines(installation, secret), 'prefect flow-run ls'].join('\n');
}

export const flowCommands = `cat > hello.py <<'PYTHON'
from prefect import flow, task


@task
def greet(name: str) -> str:
    return f"Hello, {name}!"


@flow(log_prints=True)
def hello(names: list[str] = ["Ada", "Grace"]) -> None:
    for greeting in greet.map(names).result():
        print(greeting)


if __name__ == "__main__":
    hello()
PYTHON
python hello.py`;

export const poolCommands = `prefect work-pool create ${POOL} --type process`;

/** `pool` is the one that the workspace has. */
export function deployCommands(pool: string): string {
  return `cat > deploy.py <<'PYTHON'
from pathlib import Path

from prefect import flow

flow.from_source(source=str(Path.cwd()), entrypoint="hello.py:hello").deploy(
    name="${DEPLOYMENT}", work_pool_name=${JSON.stringify(pool)}, cron="0 * * * *"
)
PYTHON
python deploy.py`;
}

/** For a terminal of its own, which knows nothing of the first one. */
export function workerCommands(pool: string, installation: Installation, secret: string | undefined): string {
  const lines = ['. .venv/bin/activate', ...clientLines(installation, secret)];
  return [...lines, `prefect worker start --pool ${quoted(pool)}`].join('\n');
}

/** `deployment` is its name behind that of its flow. */
export function runCommands(deployment: string): string {
  return `prefect deployment run ${quoted(deployment)}`;
}
