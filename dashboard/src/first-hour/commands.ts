/** The commands of the first steps, for this installation and this workspace. They need a POSIX shell. */
import { quoted } from '../api/shell-word.ts';

/** The facts on which the commands depend. */
export interface Installation {
  /** Address of the server as the browser reaches it, without a slash at its end. */
  readonly address: string;
  /** Undefined for the workspace behind `/api`. */
  readonly workspace: { readonly organizationId: string; readonly workspaceId: string } | undefined;
  readonly apiAuth: 'open' | 'basic' | 'key';
  readonly prefectVersion: string;
}

export type Installer = 'uv' | 'pip';

/** Stands for what only the reader knows. */
export const KEY_PLACEHOLDER = 'sbx_…';
const PASSWORD_PLACEHOLDER = 'user:password';

export const POOL = 'laptop';
const DEPLOYMENT = 'every-hour';
export const DEPLOYED = `hello/${DEPLOYMENT}`;

/** True if a client shows a key; a workspace behind a hosted address always requires one. */
export function needsKey({ workspace, apiAuth }: Pick<Installation, 'workspace' | 'apiAuth'>): boolean {
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

/** Without the third line of a hosted address, the websockets of a client carry no key. */
export function connectCommands({ address, workspace, apiAuth }: Installation, secret: string | undefined): string {
  const key = secret ?? KEY_PLACEHOLDER;
  const lines = workspace
    ? [
        `export PREFECT_API_URL=${quoted(`${address}/api/accounts/${workspace.organizationId}/workspaces/${workspace.workspaceId}`)}`,
        `export PREFECT_API_KEY=${key}`,
        `export PREFECT_CLOUD_API_URL=${quoted(`${address}/api`)}`,
      ]
    : [
        `export PREFECT_API_URL=${quoted(`${address}/api`)}`,
        ...(apiAuth === 'key' ? [`export PREFECT_API_AUTH_STRING=${key}`] : []),
        ...(apiAuth === 'basic' ? [`export PREFECT_API_AUTH_STRING=${PASSWORD_PLACEHOLDER}`] : []),
      ];
  return [...lines, 'prefect flow-run ls'].join('\n');
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

export function workerCommands(pool: string): string {
  return `prefect worker start --pool ${quoted(pool)}`;
}

/** `deployment` is its name behind that of its flow. */
export function runCommands(deployment: string): string {
  return `prefect deployment run ${quoted(deployment)}`;
}
