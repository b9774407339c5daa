/**
 * How an operation tells what depends on an MCP server (open streams, connections, processes) that its row has changed:
 * after its commit. A hint within this process; other replicas look by themselves every few seconds. Of a server that was
 * deleted, what clients hold open is ended while `publish` runs, and what stands behind it only afterwards.
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
