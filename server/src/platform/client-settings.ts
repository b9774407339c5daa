/** The shell settings with which a client sends a key over HTTP and on websockets alike. */
import type { Config } from '../config.ts';

/** A workspace, by the ids or slugs of its hosted address. */
interface Place {
  readonly organization: string;
  readonly workspace: string;
}

/** The public address if it is set, else the address at which clients on this machine reach the server. */
export function addressOf(config: Pick<Config, 'publicUrl' | 'basePath' | 'host' | 'port'>): string {
  const { publicUrl, basePath, host, port } = config;
  if (publicUrl !== '') return publicUrl + basePath;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}${basePath}`;
}

/** Printed because a key that is refused everywhere looks like a wrong key. */
const NO_ROLE = `
# its owner has no role in a workspace yet, so clients are refused: "signalbox workspaces grant" gives one`;

/**
 * The blocks to copy, each below a sentence that says for whom it is. `places` are workspaces to which the key gives
 * access.
 */
export function clientSettings(address: string, key: string, places: readonly Place[]): string {
  const [first = { organization: '<organization>', workspace: '<workspace>' }, ...others] = places;
  return `${places.length > 0 ? '' : NO_ROLE}
# for a client of ${address}/api, when SIGNALBOX_API_AUTH=key
${serverSettings(address, key)}

# for a client of one workspace, and for clients before Prefect 3.6; the third line is for task runs and events
${workspaceSettings(address, key, first)}${others.map((place) => `\n# or ${hostedAddress(address, place)}`).join('')}`;
}

/**
 * For a client of `/api`, in the access mode `key`. Source of each client's needs: measured with clients 3.0.11 to
 * 3.9.1.
 */
function serverSettings(address: string, key: string): string {
  return `export PREFECT_API_URL=${address}/api
export PREFECT_API_AUTH_STRING=${key}`;
}

/** For a client of one workspace; without the third line its websockets carry no key. */
function workspaceSettings(address: string, key: string, place: Place): string {
  return `export PREFECT_API_URL=${hostedAddress(address, place)}
export PREFECT_API_KEY=${key}
export PREFECT_CLOUD_API_URL=${address}/api`;
}

function hostedAddress(address: string, { organization, workspace }: Place): string {
  return `${address}/api/accounts/${organization}/workspaces/${workspace}`;
}
