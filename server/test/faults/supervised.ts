/** A server of several processes, as a fault test starts, watches and attacks it (Linux). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { startOwnPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { FaultServer, runProgram } from './harness.ts';

interface Cleaning {
  after(work: () => unknown): void;
}

/** Undefined if no PostgreSQL is installed. */
export async function startSupervised(
  t: Cleaning,
  processes: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: FaultServer; readonly headers: Readonly<Record<string, string>> } | undefined> {
  const postgres = await startOwnPostgres();
  if (!postgres) return undefined;
  t.after(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase();
  const environment = {
    SIGNALBOX_PROCESSES: String(processes),
    SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
    SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SIGNALBOX_HOSTING: 'off',
    ...settings,
  };
  const server = await FaultServer.start({ databaseUrl, environment });
  t.after(() => server.dispose());
  await until('all processes serve', () => server.output.includes('Signalbox is ready'), 60);
  const command = async (...words: string[]) => {
    const ran = await runProgram([...words, '--json'], {
      ...{ home: server.home, databaseUrl },
      environment: { ...environment, SIGNALBOX_PROCESSES: '1' },
    });
    assert.equal(ran.code, 0, ran.output);
    return JSON.parse(ran.stdout);
  };
  await command('users', 'create', '--email', 'ada@example.com', '--organization', 'default', '--role', 'admin');
  const { secret } = await command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test');
  return { server, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' } };
}

/** The processes that one has started, by the beginning of their command lines. */
function childrenOf(parent: number, isWanted: (command: string) => boolean): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const parts = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        const isAlive = parts[0] !== 'Z' && Number(parts[1]) === parent;
        return isAlive && isWanted(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        return false;
      }
    });
}

/** The processes that serve, or start to. */
export function servingOf({ pid }: FaultServer): number[] {
  return childrenOf(pid, (command) => /signalbox process|serving-process/.test(command));
}

export function hostsOf({ pid }: FaultServer): number[] {
  return childrenOf(pid, (command) => command.includes('host-process'));
}

export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The number of connections of clients at each process. */
export function connectionsOf(server: FaultServer): number[] {
  const port = server.port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const inodes = new Set(
    lines.flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return local.endsWith(`:${port}`) && state === '01' ? [`socket:[${inode}]`] : [];
    }),
  );
  const linkOf = (path: string) => {
    try {
      return readlinkSync(path);
    } catch {
      return '';
    }
  };
  return servingOf(server).map(
    (pid) => readdirSync(`/proc/${pid}/fd`).filter((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`))).length,
  );
}

/** Megabytes that a process has for itself, and its part of what it shares. */
export function pssMegabytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** One request over a connection of its own. Resolves with its status, or with the words for a failure. */
export function askAnew(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    const end = (result: string) => {
      resolve(result);
      socket.destroy();
    };
    socket.setTimeout(30_000, () => end('no answer'));
    socket.once('connect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (piece: Buffer) => (answer += piece));
    socket.once('end', () => end(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 'an empty answer'));
    socket.once('error', ({ code = 'an error' }: NodeJS.ErrnoException) => end(code));
  });
}
