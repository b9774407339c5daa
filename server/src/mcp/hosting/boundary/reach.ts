/** Connects to programs that serve HTTP: directly, from each process that calls them. */
import { closeSync, openSync } from 'node:fs';
import { HttpUpstream } from '../../upstream/http-upstream.ts';
import type { HostedConnection } from '../launch/schema.ts';
import type { Endpoint } from './host.ts';

/**
 * On the network of the machine, other users can also reach the port. Each run has a token that only Signalbox sends,
 * so that a program can refuse all others.
 */
const TOKEN_HEADER = 'signalbox-token';
const CONNECTIONS = 512;
const MAX_ANSWER_BYTES = 268_435_456;

/**
 * The path of a socket for `connect`: it goes through its folder, which is kept open, because such paths must be short.
 */
export class SocketPath {
  readonly text: string;
  #folder: number | undefined;

  constructor(folder: string, name: string) {
    this.#folder = openSync(folder, 'r');
    this.text = `/proc/self/fd/${this.#folder}/${name}`;
  }

  /** Call it once: the number of the folder is then reused for another file. */
  close(): void {
    if (this.#folder !== undefined) closeSync(this.#folder);
    this.#folder = undefined;
  }
}

interface Reached {
  readonly upstream: HttpUpstream;
  close(): Promise<void>;
}

/** Throws if the program has ended in the meantime. */
export async function reach(
  endpoint: Exclude<Endpoint, { over: 'stdio' }>,
  { path, answerSeconds }: Pick<HostedConnection, 'path' | 'answerSeconds'>,
): Promise<Reached> {
  const socket = endpoint.over === 'socket' ? new SocketPath(endpoint.folder, endpoint.name) : undefined;
  const upstream = await HttpUpstream.open(new URL(`http://127.0.0.1:${endpoint.port}${path}`), {
    allowPrivate: true,
    mayBeOwn: true,
    socketPath: socket?.text,
    answerSeconds,
    connections: CONNECTIONS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    headers: { [TOKEN_HEADER]: endpoint.token },
  });
  return {
    upstream,
    close: async () => {
      await upstream.close();
      socket?.close();
    },
  };
}
