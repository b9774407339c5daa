/** The shell lines with which a Prefect client finds a workspace and shows its credential. */
import { quoted } from '../api/shell-word.ts';

export interface ClientPlace {
  /** Address of the server as the browser reaches it, without a slash at its end. */
  readonly address: string;
  /** Undefined for the workspace behind `/api`. */
  readonly workspace: { readonly organizationId: string; readonly workspaceId: string } | undefined;
  readonly apiAuth: 'open' | 'basic' | 'key';
}

/** Stand for what only the reader knows. */
const KEY = 'sbx_…';
const PASSWORD = 'user:password';

/** Without the third line of a hosted address, the websockets of a client carry no key. */
export function clientLines({ address, workspace, apiAuth }: ClientPlace, key = KEY): string[] {
  if (workspace) {
    const { organizationId, workspaceId } = workspace;
    return [
      `export PREFECT_API_URL=${quoted(`${address}/api/accounts/${organizationId}/workspaces/${workspaceId}`)}`,
      `export PREFECT_API_KEY=${key}`,
      `export PREFECT_CLOUD_API_URL=${quoted(`${address}/api`)}`,
    ];
  }
  const credential = { open: undefined, basic: PASSWORD, key }[apiAuth];
  return [
    `export PREFECT_API_URL=${quoted(`${address}/api`)}`,
    ...(credential === undefined ? [] : [`export PREFECT_API_AUTH_STRING=${credential}`]),
  ];
}
