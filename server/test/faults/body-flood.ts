/**
 * A thread that sends unwanted bodies, so that the measurement beside it waits for the server and not for the attacker.
 * Answers each order with the statuses that it got.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { headOf, RawConnection } from '../support/raw-connection.ts';

export interface Flood {
  readonly connections: number;
  /** Size of each body; the connection declares this many bytes and sends as many as the server takes. */
  readonly bytes: number;
  readonly rounds: number;
}

const { port, addresses } = workerData as { port: number; addresses: readonly string[] };

async function send(index: number, bytes: number): Promise<number> {
  const connection = new RawConnection(port);
  const isChunked = index % 2 === 1;
  connection.write(
    headOf('POST', addresses[index % addresses.length]!, {
      ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes }),
      Origin: 'http://localhost',
      'Content-Type': 'application/json',
    }),
  );
  if (isChunked) connection.write(`${bytes.toString(16)}\r\n`);
  await connection.flood(bytes);
  if (isChunked) connection.write('\r\n0\r\n\r\n');
  await connection.answered(5000);
  connection.destroy();
  return connection.status;
}

parentPort?.on('message', async ({ connections, bytes, rounds }: Flood) => {
  const statuses = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const sent = Array.from({ length: connections }, (_, index) => send(index, bytes));
    for (const status of await Promise.all(sent)) statuses.add(status);
  }
  parentPort?.postMessage([...statuses]);
});
