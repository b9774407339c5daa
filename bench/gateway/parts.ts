/**
 * Shared parts of the gateway measurements: starts the programs of this folder and calls the API of the measured
 * server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Replicas } from '../replicas.ts';

export interface Program {
  /** `http://127.0.0.1:40123` */
  readonly origin: string;
  readonly pid: number;
  end(): void;
}

/** Starts a script of this folder, which prints the port it listens on. */
export function startProgram(script: string, ...argv: string[]): Promise<Program> {
  return startBinary(process.execPath, join(import.meta.dirname, script), ...argv);
}

/** Starts a program that prints the port it listens on. */
export async function startBinary(binary: string, ...argv: string[]): Promise<Program> {
  const child = spawn(binary, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, end: () => void child.kill() };
}

export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

export type Administrate = (method: string, path: string, body: object) => Promise<{ readonly secret?: string }>;

/** Calls the platform API for the organization `default`; throws unless the answer is a success. */
export function administratorOf({ urls: [url = ''], key }: Replicas): Administrate {
  return async (method, path, body) => {
    const answer = await fetch(`${url}/api/v0/organizations/default${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json() as Promise<{ secret?: string }>;
  };
}
