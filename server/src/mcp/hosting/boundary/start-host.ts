/** Starts a host in a process of its own. Whoever has started it ends it: its standard input stays open until then. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SocketPath } from '../../../files/socket-path.ts';
import { newId } from '../../../values/id.ts';
import { guarded } from '../../../watching/background.ts';
import type { HostSettings } from './settings.ts';
import type { HostStart } from './wire.ts';

const CONNECT_EVERY_MILLISECONDS = 20;
const START_MILLISECONDS = 20_000;
/** The environment variables that a host inherits: where programs are found, and how texts are read. */
const ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'PYENV_ROOT', 'PYENV_VERSION'];

/** The address at which a host listens. */
export interface HostAddress {
  /** The path of the folder, and the name of the socket in it. */
  readonly folder: string;
  readonly socket: string;
  readonly token: string;
}

/** A host that was started, and may not listen yet. */
export interface StartedHost extends HostAddress {
  readonly process: ChildProcess;
}

export function startHost(settings: HostSettings): StartedHost {
  const folder = join(settings.home, 'hosting', 'host');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const address = { folder, socket: newId(), token: randomBytes(32).toString('base64url') };
  return { ...address, process: spawnHost({ ...address, settings }) };
}

/** Nobody else can connect to the host then. */
export function removeSocket({ folder, socket }: HostAddress): void {
  rmSync(join(folder, socket), { force: true });
}

function spawnHost(start: HostStart): ChildProcess {
  // A bundle has all programs in one folder.
  const program = import.meta.url.endsWith('.ts') ? '../host/host-process.ts' : 'host-process.js';
  const environment = ENVIRONMENT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const child = spawn(process.execPath, ['--max-semi-space-size=4', fileURLToPath(new URL(program, import.meta.url))], {
    env: Object.fromEntries(environment),
    cwd: '/',
    stdio: ['pipe', 'ignore', 'inherit'],
    // In a session of its own, it has a share of the processors of its own.
    detached: true,
    windowsHide: true,
  });
  child.stdin?.on('error', () => {});
  // It stays open: its end means the end of this server.
  child.stdin?.write(`${JSON.stringify(start)}\n`);
  child.unref();
  return child;
}

/** Rejects when the host ends before it listens, or does not listen in time. */
export async function connectToHost({ folder, socket: name }: HostAddress, hasEnded: () => boolean): Promise<Socket> {
  const deadline = performance.now() + START_MILLISECONDS;
  const path = new SocketPath(folder, name);
  try {
    for (;;) {
      const socket = await tryConnect(path.text);
      if (socket) return socket;
      if (hasEnded()) throw new Error('The host of programs did not start.');
      if (performance.now() > deadline) throw new Error('The host of programs did not listen in time.');
      await delay(CONNECT_EVERY_MILLISECONDS);
    }
  } finally {
    path.close();
  }
}

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const failed = () => resolve(undefined);
    socket.once('error', failed);
    socket.once(
      'connect',
      guarded('the connection to the host of programs', () => {
        socket.off('error', failed);
        resolve(socket);
      }),
    );
  });
}
