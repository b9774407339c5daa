/** The system's Chromium, driven through its debugging protocol: enough for our pages, and nothing to install. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const OPTIONS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--window-size=1600,1200',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--disable-background-timer-throttling',
  // A machine with a mouse, which the machine of the tests may lack.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  '--remote-debugging-port=0',
  'about:blank',
];
const PATIENCE_MILLISECONDS = 30_000;
const QUIET_MILLISECONDS = 400;
const LOOK_MILLISECONDS = 20;

export interface Chromium {
  openPage(): Promise<Page>;
  stop(): Promise<void>;
}

/** The requests and errors of a page. */
export interface PageRecord {
  /** Addresses of every request that left the page, data addresses excepted. */
  readonly requests: readonly string[];
  /** Errors and warnings of the console, content policy violations among them, and exceptions. */
  readonly complaints: readonly string[];
  /** The complaints that are errors, by the address they are about; the address is empty when they name none. */
  readonly errors: readonly { readonly url: string; readonly text: string }[];
  /** Requests to this machine that were answered with 400 or more, or not at all; cancelled ones excepted. */
  readonly failures: readonly { readonly url: string; readonly reason: string }[];
}

export interface Page {
  /** Goes to an address and waits for its `load`. */
  open(url: string): Promise<void>;
  /** Runs an expression in the page and waits for the `load` of the page that it leads to. */
  follow(expression: string): Promise<void>;
  prefer(scheme: 'light' | 'dark'): Promise<void>;
  /** Deletes the cookies of all pages. */
  forget(): Promise<void>;
  /** The value of an expression in the page; a promise is awaited. Throws what the page throws. */
  evaluate<T>(expression: string): Promise<T>;
  /**
   * Waits until an expression in the page, or its promise, is true, whichever page that is by then. Throws with the
   * expression when a page that answers at once would have had so long.
   */
  until(expression: string, patienceMilliseconds?: number): Promise<void>;
  /** Clicks on an element as soon as it is there. */
  click(element: string): Promise<void>;
  /** Waits until no request to this machine has been pending for a while. Sockets stay open and do not count. */
  settled(): Promise<void>;
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
  readonly record: PageRecord;
}

/** The program of SIGNALBOX_TEST_CHROMIUM, else the installed one; undefined when there is none. */
export function findChromium(): string | undefined {
  return [process.env['SIGNALBOX_TEST_CHROMIUM'] ?? '', ...PROGRAMS].find((program) => program && existsSync(program));
}

/** `options`: further command-line options. */
export async function startChromium(program: string, options: readonly string[] = []): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'signalbox-chromium-'));
  const child = spawn(program, [`--user-data-dir=${profile}`, ...options, ...OPTIONS], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const address = await debuggingAddress(child.stderr);
  if (!address) {
    await stop();
    throw new Error('Chromium exited before the tests could connect to it.');
  }
  const connection = await Connection.open(address);
  return {
    async openPage() {
      const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank', newWindow: true });
      const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
      // Pages beside each other are all in sight: one in the background would draw and ask for nothing.
      const focus = { enabled: true };
      await connection.send('Emulation.setFocusEmulationEnabled', focus, String(sessionId));
      return openPage(connection, String(sessionId), String(targetId));
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

async function openPage(connection: Connection, sessionId: string, targetId: string): Promise<Page> {
  const requests: string[] = [];
  const complaints: string[] = [];
  const errors: { url: string; text: string }[] = [];
  const traffic = new Traffic();
  let loaded = Promise.withResolvers<void>();
  connection.listen((message) => {
    if (message.sessionId !== sessionId) return;
    if (message.method === 'Page.loadEventFired') loaded.resolve();
    const request = requestOf(message);
    if (request) requests.push(request);
    const complaint = complaintOf(message);
    if (complaint) complaints.push(complaint.text);
    if (complaint?.isError) errors.push({ url: complaint.url, text: complaint.text });
    traffic.see(message);
  });
  const send = (method: string, params?: object) => connection.send(method, params, sessionId);
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await send(`${domain}.enable`);

  const page: Page = {
    record: { requests, complaints, errors, failures: traffic.failures },
    async open(url) {
      loaded = Promise.withResolvers<void>();
      // A page in the background delays drawing until it is in view.
      await send('Page.bringToFront');
      await send('Page.navigate', { url });
      await loaded.promise;
    },
    async follow(expression) {
      loaded = Promise.withResolvers<void>();
      await send('Runtime.evaluate', { expression, userGesture: true });
      await loaded.promise;
    },
    async forget() {
      await send('Network.clearBrowserCookies');
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
    async until(expression, patienceMilliseconds = PATIENCE_MILLISECONDS) {
      let problem: unknown;
      // Counted in answers of the page: while it computes, or the machine has no time for it, it gives none.
      for (let looks = 0; looks < patienceMilliseconds / LOOK_MILLISECONDS; looks++) {
        // The page may have gone, or may not yet have what the expression reads.
        const found = await page.evaluate<boolean>(`(async () => Boolean(await (${expression})))()`).catch((error) => {
          problem = error;
          return false;
        });
        if (found) return;
        await delay(LOOK_MILLISECONDS);
      }
      throw new Error(`This did not become true: ${expression}`, { cause: problem });
    },
    async click(element) {
      await page.until(`(() => {
        const found = ${element};
        found?.click();
        return Boolean(found);
      })()`);
    },
    settled: () => traffic.settled(),
    async close() {
      await connection.send('Target.closeTarget', { targetId });
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

interface Complaint {
  readonly text: string;
  readonly url: string;
  readonly isError: boolean;
}

function complaintOf({ method, params = {} }: Message): Complaint | undefined {
  if (method === 'Runtime.exceptionThrown') {
    return { text: JSON.stringify(params['exceptionDetails']), url: '', isError: true };
  }
  if (method === 'Log.entryAdded') {
    const { level, text, url = '' } = params['entry'] as { level: string; text: string; url?: string };
    return level === 'error' || level === 'warning' ? { text, url, isError: level === 'error' } : undefined;
  }
  if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(params['type']))) {
    return { text: JSON.stringify(params['args']), url: '', isError: params['type'] === 'error' };
  }
  return undefined;
}

/** The pending requests of a page, and the failed ones. */
class Traffic {
  readonly failures: { url: string; reason: string }[] = [];
  readonly #underWay = new Map<string, { readonly url: string; readonly since: number }>();
  #lastChange = Date.now();

  see({ method, params = {} }: Message): void {
    const id = String(params['requestId']);
    switch (method) {
      case 'Network.requestWillBeSent': {
        const { url } = params['request'] as { url: string };
        // Skips requests that cannot finish: Chromium never reports scripts that the page made itself as finished.
        // Streams of server-sent events stay open, as sockets do.
        if (url.startsWith('http://127.0.0.1:') && params['type'] !== 'EventSource')
          this.#underWay.set(id, { url, since: Date.now() });
        break;
      }
      case 'Network.responseReceived': {
        const { url, status } = params['response'] as { url: string; status: number };
        if (status >= 400 && this.#underWay.has(id)) this.failures.push({ url, reason: `answered ${status}` });
        return;
      }
      case 'Network.loadingFailed':
        if (params['canceled'] !== true) {
          const url = this.#underWay.get(id)?.url;
          if (url !== undefined) this.failures.push({ url, reason: String(params['errorText']) });
        }
        this.#underWay.delete(id);
        break;
      case 'Network.loadingFinished':
        this.#underWay.delete(id);
        break;
      default:
        return;
    }
    this.#lastChange = Date.now();
  }

  async settled(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MILLISECONDS;
    while (this.#underWay.size > 0 || Date.now() - this.#lastChange < QUIET_MILLISECONDS) {
      if (Date.now() > deadline) {
        // A page that asks again and again is never quiet on a slow machine; a request without an answer is a fault.
        const stuck = [...this.#underWay.values()].filter(
          ({ since }) => Date.now() - since > PATIENCE_MILLISECONDS / 2,
        );
        if (stuck.length === 0) return;
        throw new Error(`still pending: ${stuck.map(({ url }) => url).join(' ')}`);
      }
      await delay(20);
    }
  }
}
