/** A process that serves MCP on a port of the loopback address. */
import type { Pool } from 'undici';
import { type AnswerSink, UpstreamError, type UpstreamRequest } from '../upstream/upstream.ts';
import { freePort } from './free-port.ts';
import type { Instance, InstanceOptions } from './instance.ts';
import type { RunningProcess } from './runner.ts';

const PROBE_MILLISECONDS = 50;
const PROBE_TIMEOUT_MILLISECONDS = 2000;
/** Calls under way in one process. */
const MAX_CALLS = 1024;
/** How long a process may take to begin an answer; what waits for the caller has its own, shorter limit. */
const HEADERS_TIMEOUT_MILLISECONDS = 600_000;
const KEEP_ALIVE_MILLISECONDS = 4000;
const HEALTH_MILLISECONDS = 30_000;
const HEALTH_TIMEOUT_MILLISECONDS = 10_000;
/** Failed looks in a row after which a process that runs counts as hung: longer than one call may take. */
const HUNG_AFTER = 6;

/** Starts the process and resolves once it answers. Throws UpstreamError with what went wrong. */
export async function startHttpInstance({ launch, runner, log, signal }: InstanceOptions): Promise<Instance> {
  const { connection } = launch;
  const { Pool } = await import('undici');
  const port = await freePort();
  const process = runner.start({
    command: launch.command.map((word) => word.replaceAll('{port}', String(port))),
    directory: launch.directory,
    environment: { ...launch.environment, ...portVariables(port) },
    memoryMegabytes: connection.memoryMegabytes,
    input: false,
  });
  log.follow(process.stdout, 'stdout');
  log.follow(process.stderr, 'stderr');
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connections: MAX_CALLS,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
    bodyTimeout: 0,
  });
  const giveUp = () => void process.stop(1, 'it is no longer needed');
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  const failure = await untilItAnswers(pool, connection.path, process, connection.startSeconds);
  signal.removeEventListener('abort', giveUp);
  if (failure !== undefined) {
    await Promise.all([process.stop(1, 'it did not start'), pool.destroy()]);
    throw new UpstreamError('unavailable', `The server ${failure}.`);
  }
  return new HttpInstance(process, pool, connection.path);
}

/** The names under which programs look for the address to listen on. FastMCP reads its own. */
function portVariables(port: number): Record<string, string> {
  return { PORT: String(port), HOST: '127.0.0.1', FASTMCP_PORT: String(port), FASTMCP_HOST: '127.0.0.1' };
}

/** Undefined when it answers, else what happened to it. */
async function untilItAnswers(
  pool: Pool,
  path: string,
  process: RunningProcess,
  startSeconds: number,
): Promise<string | undefined> {
  const deadline = performance.now() + startSeconds * 1000;
  const ended = process.ended.then(({ reason }) => `did not start: it ${reason}`);
  for (;;) {
    const outcome = await Promise.race([ended, answers(pool, path, PROBE_TIMEOUT_MILLISECONDS)]);
    if (typeof outcome === 'string') return outcome;
    if (outcome) return undefined;
    if (performance.now() > deadline) {
      return `did not start: it does not answer on its port (PORT) after ${startSeconds} s`;
    }
    const paused = await Promise.race([ended, pause(PROBE_MILLISECONDS)]);
    if (typeof paused === 'string') return paused;
  }
}

/** Any answer will do: a request without a session is refused by most. */
async function answers(pool: Pool, path: string, timeoutMilliseconds: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const answer = await pool.request({ method: 'OPTIONS', path, signal });
    await answer.body.dump();
    return true;
  } catch {
    return false;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

class HttpInstance implements Instance {
  readonly ended: Promise<string>;
  readonly upstream = { send: (request: UpstreamRequest, sink: AnswerSink) => this.#send(request, sink) };
  readonly #process: RunningProcess;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #health: NodeJS.Timeout;
  #calls = 0;
  #unhealthy = 0;

  constructor(process: RunningProcess, pool: Pool, path: string) {
    this.#process = process;
    this.#pool = pool;
    this.#path = path;
    this.#health = setInterval(() => void this.#look(), HEALTH_MILLISECONDS).unref();
    this.ended = process.ended.then(async ({ reason }) => {
      clearInterval(this.#health);
      await pool.destroy();
      return reason;
    });
  }

  get processes(): number {
    return 1;
  }

  memoryBytes(): number {
    return this.#process.memoryBytes();
  }

  async stop(graceSeconds: number, reason: string): Promise<void> {
    await this.#process.stop(graceSeconds, reason);
    await this.ended;
  }

  async #look(): Promise<void> {
    this.#unhealthy = (await answers(this.#pool, this.#path, HEALTH_TIMEOUT_MILLISECONDS)) ? 0 : this.#unhealthy + 1;
    if (this.#unhealthy >= HUNG_AFTER) await this.#process.stop(1, 'it no longer answers');
  }

  #send({ method, headers, body }: UpstreamRequest, sink: AnswerSink) {
    if (this.#calls >= MAX_CALLS) {
      const busy = new UpstreamError('unavailable', 'The server has too many requests under way.', 1);
      queueMicrotask(() => sink.fail(busy));
      return { abort: () => {}, resume: () => {} };
    }
    this.#calls++;
    let controller: { abort(reason: Error): void; pause(): void; resume(): void } | undefined;
    let over = false;
    const finish = (): boolean => {
      if (over) return false;
      over = true;
      this.#calls--;
      return true;
    };
    this.#pool.dispatch(
      { method, path: this.#path, headers, body: method === 'POST' ? body : null },
      {
        onRequestStart: (started) => {
          controller = started;
          if (over) started.abort(new Error('given up'));
        },
        onResponseStart: (_controller, status, answered) => {
          if (!over) sink.begin(status, answered);
        },
        onResponseData: (started, chunk) => {
          if (!over && !sink.data(chunk)) started.pause();
        },
        onResponseEnd: () => {
          if (finish()) sink.end();
        },
        onResponseError: (_controller, error) => {
          if (finish()) sink.fail(upstreamErrorOf(error));
        },
      },
    );
    return {
      abort: () => {
        if (finish()) controller?.abort(new Error('given up'));
      },
      resume: () => controller?.resume(),
    };
  }
}

function upstreamErrorOf(error: Error): UpstreamError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new UpstreamError('timeout', 'The server did not begin its answer in time.');
  }
  if (
    code.startsWith('HPE_') ||
    code === 'UND_ERR_HEADERS_OVERFLOW' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  ) {
    return new UpstreamError('answer', 'The answer of the server is not valid HTTP.');
  }
  return new UpstreamError('connection', 'The connection to the server broke.');
}
