/** The address at which the other processes reach this one: a socket in the home folder, or a port of this machine. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:https';
import { type AddressInfo, connect, isIPv6 } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { SocketPath } from '../files/socket-path.ts';
import { addressOfMachine } from '../network/addresses.ts';

/** In the home folder. */
const FOLDER = 'peers';
const UNIX = 'unix:';

export interface Listening {
  /** `unix:/path` or `host:port`. */
  readonly address: string;
  /** Undefined for a socket. */
  readonly port: number | undefined;
  /** Removes the socket. */
  close(): void;
}

type PeerSettings = Pick<Config, 'home' | 'peerHost' | 'peerPort'>;

/** Throws ConfigError if the address is taken or does not belong to this machine. */
export async function listenForPeers(server: Server, id: string, settings: PeerSettings): Promise<Listening> {
  const { home, peerPort } = settings;
  if (peerPort === undefined) return listenOnSocket(server, join(home, FOLDER, `${id}.sock`));
  const host = settings.peerHost || addressOfMachine();
  try {
    await listening(server, { host, port: peerPort });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `The server cannot listen for other servers on port ${peerPort} of ${host} (${code}). Check SIGNALBOX_PEER_PORT and SIGNALBOX_PEER_HOST.`,
    );
  }
  const { port } = server.address() as AddressInfo;
  return { address: `${isIPv6(host) ? `[${host}]` : host}:${port}`, port, close: () => {} };
}

async function listenOnSocket(server: Server, path: string): Promise<Listening> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const socketPath = socketPathOf(path);
  try {
    await listening(server, { path: socketPath.text });
  } finally {
    socketPath.close();
  }
  return { address: UNIX + path, port: undefined, close: () => rmSync(path, { force: true }) };
}

function listening(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Removes the sockets of processes that were killed: nobody listens there. */
export async function removeLeftSockets(home: string): Promise<void> {
  const folder = join(home, FOLDER);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    if (await isLeft(path)) rmSync(path, { force: true });
  }
}

function isLeft(path: string): Promise<boolean> {
  const socketPath = socketPathOf(path);
  return new Promise<boolean>((resolve) => {
    const socket = connect(socketPath.text);
    socket.once('connect', () => socket.destroy());
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
    socket.once('close', () => resolve(false));
  }).finally(() => socketPath.close());
}

/** The path of the socket; undefined for an address with a port. */
export function socketOf(address: string): string | undefined {
  return address.startsWith(UNIX) ? address.slice(UNIX.length) : undefined;
}

/** Name or address, without brackets, and port. */
export function hostAndPortOf(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

export function socketPathOf(path: string): SocketPath {
  return new SocketPath(dirname(path), basename(path));
}
