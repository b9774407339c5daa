/** Listens on the address that the settings name, and shows the address that people can open. */
import { ConfigError } from '../errors.ts';
import { addressOfMachine } from './addresses.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Throws ConfigError when the address is taken, does not belong to this machine, or is not permitted. */
export async function listen(begin: (address: Address) => Promise<unknown>, { host, port }: Address): Promise<void> {
  try {
    await begin({ host, port });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new ConfigError(problemOf(code, syscall, host, port));
  }
}

function problemOf(code: string | undefined, syscall: string, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} of ${host} is in use. Stop the program that listens there, or choose another with SIGNALBOX_PORT (--port); 0 takes any free one.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port} of ${host}. Choose one above 1023 with SIGNALBOX_PORT (--port).`;
  }
  if (syscall === 'getaddrinfo') {
    return `SIGNALBOX_HOST (--host) is ${host}, which is not a known host name. Use an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EINVAL') {
    return `SIGNALBOX_HOST (--host) is ${host}, which is not an address of this machine. Use one that is: 127.0.0.1, or 0.0.0.0 for all of them.`;
  }
  return `The server cannot listen on port ${port} of ${host} (${code}). Check SIGNALBOX_HOST (--host) and SIGNALBOX_PORT (--port).`;
}

/** `http://host:port`; if the server listens on all addresses, with one that other machines reach. */
export function reachableUrl(host: string, port: number): string {
  const reached = isEveryAddress(host) ? addressOfMachine() : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** `0.0.0.0`, and `::` in each of its spellings. */
function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || /^[0:]+$/.test(host);
}
