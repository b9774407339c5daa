import { createServer } from 'node:http';
import type { ServerProcess } from './server-process.ts';

export interface Control {
  /** Address that a scenario's process posts to. */
  url: string;
  close(): void;
}

/**
 * Lets the process of a scenario stop and start its server: `POST /stop?signal=SIGKILL`, `/start` and
 * `/restart?signal=SIGTERM`; and run a command of Signalbox on its data: `/operate?argument=users&argument=create…`,
 * which answers its output. The answer comes when it is done; 500 with the reason when it failed.
 */
export function openControl(server: ServerProcess): Promise<Control> {
  async function act(path: string, parameters: URLSearchParams): Promise<string | undefined> {
    const signal = parameters.get('signal') === 'SIGKILL' ? 'SIGKILL' : 'SIGTERM';
    if (path === '/operate') return server.operate(parameters.getAll('argument'));
    if (path === '/stop' || path === '/restart') await server.stop(signal);
    if (path === '/start' || path === '/restart') await server.start();
    return ['/stop', '/start', '/restart'].includes(path) ? '' : undefined;
  }
  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    act(pathname, searchParams).then(
      (printed) => response.writeHead(printed === undefined ? 404 : 200).end(printed),
      (cause: unknown) => response.writeHead(500).end(String(cause)),
    );
  });
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const close = () => {
        listener.close();
        listener.closeAllConnections();
      };
      resolve({ url: `http://127.0.0.1:${port}`, close });
    });
  });
}
