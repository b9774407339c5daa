/** Connects to programs that serve HTTP: directly, from each process that calls them. */
import { SocketPath } from '../../../files/socket-path.ts';
import { HttpUpstream } from '../../upstream/http-upstream.ts';
import type { HostedConnection } from '../launch/schema.ts';
import type { Endpoint } from './host.ts';

/**
 * On the network of the machine, other users can also reach the port. Each run has a token that only Signalbox sends,
 * so that a program can refuse all others.
 */
const TOKEN_HEADER = 'signalbox-token';

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
