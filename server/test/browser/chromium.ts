/** The system's Chromium, driven through its debugging protocol: enough for pages of ours, and nothing to install. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const OPTIONS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
  'about:blank',
];
const PATIENCE_MILLISECONDS = 30_000;

export interface Chromium {
  openPage(): Promise<Page>;
  stop(): Promise<void>;
}

/** What a page did that its server should know of. */
export interface PageRecord {
  /** Addresses of every request that left the page, data addresses excepted. */
  readonly requests: readonly string[];
  /** Errors and warnings of the console, the content policy's among them, and exceptions. */
  readonly complaints: readonly string[];
}

export interface Page {
  /** Goes to an address and waits for its `load`. */
  open(url: string): Promise<void>;
  prefer(scheme: 'light' | 'dark'): Promise<void>;
  /** The value of an expression in the page; a promise is waited for. Throws what the page throws. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until an expression in the page is true. Throws with the expression when it does not become true in time. */
  until(expression: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  readonly record: PageRecord;
}

/** The program of SIGNALBOX_TEST_CHROMIUM, else the installed one; undefined when there is none. */
export function findChromium(): string | undefined {
  return [process.env['SIGNALBOX_TEST_CHROMIUM'] ?? '', ...PROGRAMS].find((program) => program && existsSync(program));
}

export async function startChromium(program: string): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'signalbox-chromium-'));
  const child = spawn(program, [`--user-data-dir=${profile}`, ...OPTIONS], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const address = await debuggingAddress(child.stderr);
  if (!address) {
    await stop();
    throw new Error('Chromium ended before it could be driven.');
  }
  const connection = await Connection.open(address);
  return {
    async openPage() {
      const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
      return openPage(connection, String(sessionId));
    },
    stop,
  };
}

async function debuggingAddress(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address) {
      output.resume();
      return address;
    }
  }
  return undefined;
}

type Members = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Members;
  readonly result?: Members;
  readonly error?: { readonly message: string };
}

class Connection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Members>>();
  readonly #listeners: ((message: Message) => void)[] = [];
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Message));
  }

  static async open(address: string): Promise<Connection> {
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error('Chromium cannot be reached.')), { once: true });
    });
    return new Connection(socket);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Members> {
    this.#lastId += 1;
    const answer = Promise.withResolvers<Members>();
    this.#waiting.set(this.#lastId, answer);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, ...(sessionId ? { sessionId } : {}) }));
    return answer.promise;
  }

  listen(listener: (message: Message) => void): void {
    this.#listeners.push(listener);
  }

  #receive(message: Message): void {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) answer?.reject(new Error(message.error.message));
    else answer?.resolve(message.result ?? {});
  }
}

async function openPage(connection: Connection, sessionId: string): Promise<Page> {
  const requests: string[] = [];
  const complaints: string[] = [];
  let loaded = Promise.withResolvers<void>();
  connection.listen((message) => {
    if (message.sessionId !== sessionId) return;
    if (message.method === 'Page.loadEventFired') loaded.resolve();
    const request = requestOf(message);
    if (request) requests.push(request);
    const complaint = complaintOf(message);
    if (complaint) complaints.push(complaint);
  });
  const send = (method: string, params?: object) => connection.send(method, params, sessionId);
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await send(`${domain}.enable`);

  const page: Page = {
    record: { requests, complaints },
    async open(url) {
      loaded = Promise.withResolvers<void>();
      await send('Page.navigate', { url });
      await loaded.promise;
    },
    async prefer(scheme) {
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    },
    async evaluate<T>(expression: string) {
      const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      const { result, exceptionDetails } = answer as { result: { value: T }; exceptionDetails?: object };
      if (exceptionDetails) throw new Error(`The page threw: ${JSON.stringify(exceptionDetails)}`);
      return result.value;
    },
    async until(expression) {
      const found = await page.evaluate<boolean>(`new Promise((resolve) => {
        const deadline = Date.now() + ${PATIENCE_MILLISECONDS};
        const look = () => (${expression}) ? resolve(true) : Date.now() > deadline ? resolve(false) : setTimeout(look, 20);
        look();
      })`);
      if (!found) throw new Error(`This did not become true: ${expression}`);
    },
    async screenshot() {
      return Buffer.from(String((await send('Page.captureScreenshot')).data), 'base64');
    },
  };
  return page;
}

function requestOf({ method, params = {} }: Message): string | undefined {
  if (method !== 'Network.requestWillBeSent') return undefined;
  const { url } = params['request'] as { url: string };
  return url.startsWith('data:') ? undefined : url;
}

function complaintOf({ method, params = {} }: Message): string | undefined {
  if (method === 'Runtime.exceptionThrown') return JSON.stringify(params['exceptionDetails']);
  if (method === 'Log.entryAdded') {
    const { level, text } = params['entry'] as { level: string; text: string };
    return level === 'error' || level === 'warning' ? text : undefined;
  }
  if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(params['type']))) {
    return JSON.stringify(params['args']);
  }
  return undefined;
}
