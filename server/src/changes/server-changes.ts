/**
 * After its commit, an operation publishes the change of an MCP server's row to its dependents (open streams,
 * connections, processes). The hint stays within this process; other replicas check every few seconds. When a server is
 * deleted, `publish` ends the open streams of clients before it returns; connections and processes behind the server
 * end afterwards.
 */
import { guarded } from '../watching/background.ts';

export type ServerChange =
  | 'policy'
  | 'access'
  | 'connection'
  | 'environment'
  | 'deployment'
  | 'manifest'
  | 'stop'
  | 'start'
  | 'deleted';

export class ServerChanges {
  readonly #listeners = new Set<(serverId: string, change: ServerChange) => void>();

  publish(serverId: string, change: ServerChange): void {
    for (const listener of this.#listeners) listener(serverId, change);
  }

  listen(listener: (serverId: string, change: ServerChange) => void): void {
    this.#listeners.add(guarded('what follows a change of an MCP server', listener));
  }
}

type ServerActivityKind = 'server_request' | 'server_output' | 'server_build' | 'mcp_server' | 'access_request';

/**
 * Announces what happens at MCP servers to the pages that show it: recorded requests, output, builds, processes,
 * requests for access. Like `ServerChanges`, it stays within this process; pages that another replica serves poll from
 * time to time.
 */
export class ServerActivity {
  readonly #listeners = new Set<(serverId: string, kind: ServerActivityKind) => void>();

  /** Call it after the commit. Never throws and never waits. */
  publish(serverId: string, kind: ServerActivityKind): void {
    for (const listener of this.#listeners) listener(serverId, kind);
  }

  /** Returns a function that stops listening. */
  listen(given: (serverId: string, kind: ServerActivityKind) => unknown, end?: (error: unknown) => void): () => void {
    const listener = guarded('a live stream of MCP servers', given, end);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
