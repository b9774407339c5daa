/** Messages between this server and the launcher in a sandbox before the program begins. */

/** The argument of the launcher. */
export interface Ways {
  /** The port of the proxy for outgoing connections; absent in the network of the machine. */
  readonly proxyPort?: number;
  /** The socket for incoming connections of this server, and the port to which it leads. */
  readonly entrance?: { readonly path: string; readonly port: number };
}

/**
 * The first message to the launcher, which starts the program. The launcher has sent one before, with the listening
 * socket of the proxy.
 */
export interface Start {
  /** Program and arguments; the program is searched in its PATH. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}
