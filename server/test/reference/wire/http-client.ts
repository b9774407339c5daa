import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Request {
  readonly method: string;
  /** Below the API base, with its query string, exactly as it goes on the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Answer {
  /** 0 when the server closed the connection or did not answer in time; `text` then says why. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * More than the 60 s for which the reference sometimes holds a request, when two of its SQLite writers block each
 * other.
 */
const TIMEOUT_SECONDS = 100;
/** The reference answers 503 while its SQLite file is locked; its own client retries, and so do we. */
const BUSY_RETRIES = 10;

/**
 * One server, by its API base. `node:http` and not `fetch`, which repairs paths and headers that are meant to be odd.
 * Never throws: a broken connection is an answer with status 0.
 */
export class HttpClient {
  readonly base: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });

  /** `base` may be given with or without the trailing `/api`. */
  constructor(base: string) {
    const trimmed = base.replace(/\/+$/, '');
    this.base = new URL(trimmed.endsWith('/api') ? trimmed : `${trimmed}/api`);
  }

  async send(message: Request): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#once(message, true);
      if (answer.status !== 503 || attempt > BUSY_RETRIES) return answer;
      await delay(50 * attempt);
    }
  }

  async get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path, headers: {} });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #once(message: Request, mayRepeat: boolean): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const body = message.body === undefined ? undefined : Buffer.from(message.body);
    const outgoing = request({
      agent: this.#agent,
      host: this.base.hostname,
      port: this.base.port,
      method: message.method,
      path: this.base.pathname + message.path,
      headers: { ...message.headers, ...(body ? { 'content-length': String(body.length) } : {}) },
      timeout: TIMEOUT_SECONDS * 1000,
    });
    outgoing.on('response', (incoming) => resolve(readAnswer(incoming)));
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_SECONDS} s`)));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A reused connection that the server closed while it was idle: no request was processed, so it is sent once
      // more.
      const closedWhileIdle = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      resolve(
        closedWhileIdle && mayRepeat
          ? this.#once(message, false)
          : { status: 0, headers: {}, text: `${error.code ?? error.name}: ${error.message}` },
      );
    });
    outgoing.end(body);
    return promise;
  }
}

async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch (error) {
    return { status: 0, headers: {}, text: `answer broke off: ${String(error)}` };
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return { status: incoming.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString('utf8') };
}
