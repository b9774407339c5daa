import type { Upstream } from './upstream.ts';

/** What names a server and the way to it, as its row has them. */
export interface UpstreamOwner {
  readonly id: string;
  readonly kind: string;
  /** Another version is another way to the server, or another credential. */
  readonly connection_version: number;
}

/** The way to each MCP server; connections are shared by all callers. */
export interface Upstreams {
  /** Rejects with UpstreamError. Starts a hosted server that does not run. */
  upstreamOf(server: UpstreamOwner): Promise<Upstream>;
}
