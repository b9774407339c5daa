/** A connection between a server and its database that a test can cut. */
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';

/** Passes bytes on to a port, and keeps them back while it is cut: nobody hears that a connection has ended. */
export async function startCable(port: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connectTcp(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on('data', (bytes) => other.write(bytes));
      one.on('error', () => {});
      one.once('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
      if (isCut) one.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of [...pairs].flat()) socket.resume();
    },
    stop() {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
    },
  };
}
