/**
 * After its commit, an operation publishes the change of an MCP server's row to its dependents (open streams,
 * connections, processes). The hint stays within this process; other replicas check every few seconds. When a server is
 * deleted, `publish` ends what clients hold open before it returns; what stands behind the server ends afterwards.
 */
export type ServerChange = 'policy' | 'access' | 'connection' | 'environment' | 'deployment' | 'manifest' | 'deleted';

export class ServerChanges {
  readonly #listeners = new Set<(serverId: string, change: ServerChange) => void>();

  publish(serverId: string, change: ServerChange): void {
    for (const listener of this.#listeners) listener(serverId, change);
  }

  listen(listener: (serverId: string, change: ServerChange) => void): void {
    this.#listeners.add(listener);
  }
}
