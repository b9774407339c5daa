/** A proxy in front of several servers: each request goes to the next one, also on a connection that is kept. */
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface RoundRobin {
  close(): void;
}

/** Listens on a port of the loopback address. */
export async function startRoundRobin(port: number, ports: readonly number[]): Promise<RoundRobin> {
  let turn = 0;
  const next = () => ports[turn++ % ports.length]!;
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    const { method, url } = incoming;
    const outgoing = httpRequest({ agent, port: next(), host: '127.0.0.1', method, path: url, setHost: false });
    for (const [name, value] of headersOf(incoming)) outgoing.appendHeader(name, value);
    outgoing.on('response', (answer) => {
      const kept = pairsOf(answer.rawHeaders).filter(([name]) => !OF_CONNECTION.includes(name.toLowerCase()));
      response.writeHead(answer.statusCode ?? 502, kept.flat());
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => outgoing.destroy());
    incoming.on('error', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', ({ method, url, rawHeaders }: IncomingMessage, near: Socket, head: Buffer) => {
    const far = connect(next(), '127.0.0.1', () => {
      const lines = pairsOf(rawHeaders).map(([name, value]) => `${name}: ${value}`);
      far.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      far.write(head);
      near.pipe(far).pipe(near);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
    },
  };
}

const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  return pairsOf(rawHeaders).filter(([name]) => !OF_CONNECTION.includes(name.toLowerCase()));
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1]!] as [string, string]] : [],
  );
}
