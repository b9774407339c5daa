/** A process that serves MCP on a port of the loopback address. */

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { claimPort } from '../../../../outbound/own-endpoints.ts';
import { guarded, inBackground } from '../../../../watching/background.ts';
import { UpstreamError } from '../../../upstream/upstream.ts';
import type { Endpoint } from '../../boundary/host.ts';
import type { RunningProcess } from '../runner/runner.ts';
import { freePort } from './free-port.ts';
import type { Instance, InstanceOptions } from './instance.ts';

const TOKEN_VARIABLE = 'SIGNALBOX_TOKEN';
/** The port of a program in a network of its own. */
const OWN_PORT = 8000;
const PROBE_MILLISECONDS = 50;
const PROBE_TIMEOUT_MILLISECONDS = 2000;
const HEALTH_MILLISECONDS = 30_000;
const HEALTH_TIMEOUT_MILLISECONDS = 10_000;
/** Failed checks in a row after which a running process counts as hung: longer than most calls may take. */
const HUNG_AFTER = 6;

/** The address of its port. */
interface Place {
  readonly port: number;
  readonly path: string;
  /** The socket for reaching it, if not the port of the loopback address. */
  readonly socketPath: string | undefined;
}

/** Starts the process and resolves once it answers. Throws UpstreamError with the reason of a failure. */
export async function startHttpInstance({ launch, log, signal }: InstanceOptions): Promise<Instance> {
  const { path, startSeconds } = launch.connection;
  const port = launch.isolatesNetwork ? OWN_PORT : await freePort();
  const token = randomBytes(32).toString('base64url');
  const releasePort = launch.isolatesNetwork ? () => {} : claimPort(port);
  const environment = { ...portVariables(port), [TOKEN_VARIABLE]: token };
  const process = await launch.start({ port, environment, input: false }).catch((error: unknown) => {
    releasePort();
    throw error;
  });
  log.follow(process.stdout, 'stdout');
  log.follow(process.stderr, 'stderr');
  const giveUp = guarded('the end of a start', () => process.stop(1, 'it is no longer needed'));
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  inBackground('the end of a hosted process', async () => {
    await process.ended;
    releasePort();
  });
  const entrance = await process.entrance;
  const place: Place = { port, path, socketPath: entrance?.path };
  const failure = await untilItAnswers(place, process, startSeconds);
  signal.removeEventListener('abort', giveUp);
  if (failure !== undefined) {
    await process.stop(1, 'it did not start');
    throw new UpstreamError('unavailable', `The server ${failure}.`);
  }
  const { folder, name } = entrance ?? {};
  const endpoint: Endpoint =
    folder !== undefined && name !== undefined
      ? { over: 'socket', folder, name, port, token }
      : { over: 'port', port, token };
  return new HttpInstance(process, endpoint, place);
}

/** The variables in which programs look for their port and address. FastMCP reads its own. */
function portVariables(port: number): Record<string, string> {
  return { PORT: String(port), HOST: '127.0.0.1', FASTMCP_PORT: String(port), FASTMCP_HOST: '127.0.0.1' };
}

/** Undefined when it answers, else the reason why not. */
async function untilItAnswers(
  place: Place,
  process: RunningProcess,
  startSeconds: number,
): Promise<string | undefined> {
  const deadline = performance.now() + startSeconds * 1000;
  const ended = process.ended.then(({ reason }) => `did not start: it ${reason}`);
  for (;;) {
    const outcome = await Promise.race([ended, answers(place, PROBE_TIMEOUT_MILLISECONDS)]);
    if (typeof outcome === 'string') return outcome;
    if (outcome) return undefined;
    if (performance.now() > deadline) {
      return `did not start: it does not answer on its port (PORT) after ${startSeconds} s`;
    }
    const paused = await Promise.race([ended, pause(PROBE_MILLISECONDS)]);
    if (typeof paused === 'string') return paused;
  }
}

/** Any answer is enough: most refuse a request without a session, and this one opens none. */
function answers({ port, path, socketPath }: Place, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const way = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
    const headers = { host: `127.0.0.1:${port}` };
    const probe = request({ ...way, path, headers, method: 'OPTIONS', agent: false, timeout }, (answer) => {
      answer.destroy();
      resolve(true);
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => resolve(false));
    probe.on('close', () => resolve(false));
    probe.end();
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

class HttpInstance implements Instance {
  readonly ended: Promise<string>;
  readonly endpoint: Endpoint;
  readonly processes = 1;
  readonly #process: RunningProcess;
  readonly #place: Place;
  #unhealthy = 0;

  constructor(process: RunningProcess, endpoint: Endpoint, place: Place) {
    this.endpoint = endpoint;
    this.#process = process;
    this.#place = place;
    const health = setInterval(
      guarded('a check of a hosted process', () => this.#look()),
      HEALTH_MILLISECONDS,
    ).unref();
    this.ended = process.ended.then(({ reason }) => {
      clearInterval(health);
      return reason;
    });
  }

  memoryBytes(): number {
    return this.#process.memoryBytes();
  }

  async stop(graceSeconds: number, reason: string): Promise<void> {
    await this.#process.stop(graceSeconds, reason);
    await this.ended;
  }

  async #look(): Promise<void> {
    this.#unhealthy = (await answers(this.#place, HEALTH_TIMEOUT_MILLISECONDS)) ? 0 : this.#unhealthy + 1;
    if (this.#unhealthy >= HUNG_AFTER) await this.#process.stop(1, 'it no longer answers');
  }
}
