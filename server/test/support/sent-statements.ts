/** A way to PostgreSQL that counts what the driver sends, to hold the number of statements and round trips of a request. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface SentStatements {
  /** The address of the database through this way. */
  readonly url: string;
  /** The statements sent since the last call, in their order, for each connection. */
  take(): string[][];
  stop(): Promise<void>;
}

const HEAD_BYTES = 5;

export async function startSentStatements(databaseUrl: string): Promise<SentStatements> {
  const target = new URL(databaseUrl);
  const connections: string[][] = [];
  /** The texts of prepared statements, which have the same names on each connection. */
  const prepared = new Map<string, string>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const sent: string[] = [];
    connections.push(sent);
    // The message that opens a connection has no kind.
    let isOpened = false;
    let rest = Buffer.alloc(0);
    client.on('data', (data: Buffer) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const length = isOpened
          ? 1 + (rest.length < HEAD_BYTES ? Infinity : rest.readUInt32BE(1))
          : lengthOfFirst(rest);
        if (length > rest.length) break;
        if (isOpened) note(rest.subarray(0, length), sent);
        isOpened = true;
        rest = rest.subarray(length);
      }
      database.write(data);
    });
    database.on('data', (data) => client.write(data));
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('close', () => other.destroy());
      one.on('error', () => other.destroy());
    }
  });
  const note = (message: Buffer, sent: string[]) => {
    const kind = String.fromCharCode(message[0]!);
    const [first = '', second = ''] = message.subarray(HEAD_BYTES).toString('latin1').split('\0');
    if (kind === 'Q') sent.push(first);
    if (kind === 'P') prepared.set(first, second);
    if (kind === 'B') sent.push(prepared.get(second) ?? second);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    take: () => connections.map((sent) => sent.splice(0)),
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

function lengthOfFirst(bytes: Buffer): number {
  return bytes.length < 4 ? Infinity : bytes.readUInt32BE(0);
}
