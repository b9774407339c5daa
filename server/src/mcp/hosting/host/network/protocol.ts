/** Messages between this server and the launcher in a sandbox before the program begins. */

/** The argument of the launcher. */
export interface Ways {
  /** Where the proxy listens that leads out; absent in the network of the machine. */
  readonly proxyPort?: number;
  /** The socket through which this server comes in, and the port it leads to. */
  readonly entrance?: { readonly path: string; readonly port: number };
}

/** The first message to the launcher: begin. It has sent one before, with the listening socket of the proxy. */
export interface Start {
  /** Program and arguments; the program is found by its PATH. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}
