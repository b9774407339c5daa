import type { ExternalConnection } from './external-connection.ts';
import type { Upstream } from './upstream.ts';

/** The columns of a server's row that identify it and its connection. */
export interface UpstreamOwner {
  readonly id: string;
  readonly kind: string;
  /** Another version means another connection to the server, or another credential. */
  readonly connection_version: number;
  /** Set when people use it with credentials of their own; JSON. */
  readonly personal_credential: string | null;
}

/** The caller of requests to a server. */
export interface UpstreamCaller {
  readonly actorId: string;
  readonly actorType: 'user' | 'service_account';
  /** The public address of the platform, for links in errors. */
  readonly platform: string;
}

export interface OpenedUpstream {
  readonly upstream: Upstream;
  close(): Promise<void>;
}

/** The connection to each MCP server; all callers share connections. */
export interface Upstreams {
  /**
   * Returns synchronously if the connection is open. Rejects with UpstreamError. Starts a hosted server that does not
   * run. `caller` is absent for requests of the platform itself, which use the credential that is stored for all.
   */
  upstreamOf(server: UpstreamOwner, caller?: UpstreamCaller): Upstream | Promise<Upstream>;
  /** A connection to an external server that is not stored; the caller closes it. Rejects with UpstreamError. */
  openOnce(connection: ExternalConnection, secret: string): Promise<OpenedUpstream>;
}
