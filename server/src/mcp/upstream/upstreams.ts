import type { ExternalConnection } from './external-connection.ts';
import type { Upstream } from './upstream.ts';

/** The columns of a server's row that name it and its connection. */
export interface UpstreamOwner {
  readonly id: string;
  readonly kind: string;
  /** Another version is another way to the server, or another credential. */
  readonly connection_version: number;
  /** Set when people use it with credentials of their own; JSON. */
  readonly personal_credential: string | null;
}

/** Whose requests go to a server. */
export interface UpstreamCaller {
  readonly actorId: string;
  readonly actorType: 'user' | 'service_account';
  /** Where people reach the platform, for the links in errors. */
  readonly platform: string;
}

export interface OpenedUpstream {
  readonly upstream: Upstream;
  close(): Promise<void>;
}

/** The way to each MCP server; connections are shared by all callers. */
export interface Upstreams {
  /**
   * At once where the way is open already. Rejects with UpstreamError. Starts a hosted server that does not run. `caller` is absent for what the platform itself
   * asks, with the credential that is stored for all.
   */
  upstreamOf(server: UpstreamOwner, caller?: UpstreamCaller): Upstream | Promise<Upstream>;
  /** A way to an external server that is not stored; the caller closes it. Rejects with UpstreamError. */
  openOnce(connection: ExternalConnection, secret: string): Promise<OpenedUpstream>;
}
