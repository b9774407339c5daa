/**
 * Forwards the output of processes and builds: in batches, limited in rate, without the values of sensitive variables.
 * Output beyond the rate is dropped, and the log gives its amount.
 */
import type { Readable } from 'node:stream';
import { attempt, guarded } from '../../../../watching/background.ts';
import { machineTime, type OutputStream, type PrintedLine } from '../../boundary/host.ts';
import { LineSplitter } from './line-splitter.ts';
import { throttle } from './throttle.ts';

const MAX_LINE_BYTES = 8192;
const FLUSH_MILLISECONDS = 300;
const MAX_BATCH = 500;
/** Lines that are forwarded but not yet stored; further lines are dropped. */
const MAX_UNSTORED = 4000;
/** Bytes and lines that a process may print at once; it gets the same amount again over this time. */
const BURST_BYTES = 1_048_576;
const BURST_LINES = 4000;
const REFILL_SECONDS = 20;
/** The last output, kept for the message of a failure. */
const LAST_LINES = 10;
const LAST_CHARACTERS = 1500;
/** Shorter values are too likely to be part of other text. */
const SHORTEST_SECRET = 6;

interface OutputLogOptions {
  /** Milliseconds of the clock that measures the rate. */
  elapsed(): number;
  /** Values that are never stored. */
  readonly secrets: readonly string[];
  /** Stores lines. Lines that it rejects are lost. */
  store(lines: readonly PrintedLine[]): Promise<void>;
}

export class OutputLog {
  readonly #options: OutputLogOptions;
  readonly #secrets: readonly string[];
  #last: string[] = [];
  #waiting: PrintedLine[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #bytesLeft = BURST_BYTES;
  #linesLeft = BURST_LINES;
  #refilled: number;
  #dropped = 0;
  #unstored = 0;

  constructor(options: OutputLogOptions) {
    this.#options = options;
    this.#refilled = options.elapsed();
    this.#secrets = options.secrets
      .flatMap((secret) => secret.split(/\r?\n/))
      .filter((line) => line.length >= SHORTEST_SECRET)
      .sort((a, b) => b.length - a.length);
  }

  /** Logs each line of `output` until it ends. */
  follow(output: Readable, stream: OutputStream): void {
    throttle(output);
    const splitter = new LineSplitter(MAX_LINE_BYTES, (line, cut) => this.line(stream, line, cut));
    output.on(
      'data',
      guarded('output of a program', (chunk: Buffer) => splitter.push(chunk)),
    );
    output.once(
      'close',
      guarded('the end of output of a program', () => splitter.end()),
    );
    output.on('error', () => {});
  }

  line(stream: OutputStream, line: Buffer, cut = false): void {
    this.#refill();
    if (this.#linesLeft < 1 || this.#bytesLeft < line.length || this.#unstored >= MAX_UNSTORED) {
      this.#dropped++;
      this.#flushLater();
      return;
    }
    this.#linesLeft--;
    this.#bytesLeft -= line.length;
    this.#tellDropped();
    const text = line.subarray(0, MAX_LINE_BYTES).toString('utf8');
    this.#add(stream, cut || line.length > MAX_LINE_BYTES ? `${text} … (cut)` : text);
  }

  /** Logs a message of this server itself; never dropped. */
  say(message: string): void {
    this.#tellDropped();
    this.#add('system', message);
  }

  /** The last output, without the values of sensitive variables; empty when there was none. */
  get lastLines(): string {
    return this.#last.join('\n').slice(-LAST_CHARACTERS);
  }

  /** Resolves when all lines are written. */
  async close(): Promise<void> {
    this.#tellDropped();
    this.#flush();
    await this.#writing;
  }

  #refill(): void {
    const now = this.#options.elapsed();
    const share = (now - this.#refilled) / 1000 / REFILL_SECONDS;
    this.#refilled = now;
    this.#bytesLeft = Math.min(BURST_BYTES, this.#bytesLeft + share * BURST_BYTES);
    this.#linesLeft = Math.min(BURST_LINES, this.#linesLeft + share * BURST_LINES);
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#add('system', `${count} ${count === 1 ? 'line was' : 'lines were'} dropped: too much output`);
  }

  #add(stream: OutputStream, message: string): void {
    const text = this.#withoutSecrets(message).replaceAll('\0', '');
    if (stream !== 'system') this.#last = [...this.#last, text].slice(-LAST_LINES);
    this.#waiting.push({ at: machineTime(), stream, message: text });
    if (this.#waiting.length >= MAX_BATCH) this.#flush();
    else this.#flushLater();
  }

  #flushLater(): void {
    const write = () => {
      this.#tellDropped();
      this.#flush();
    };
    this.#timer ??= setTimeout(guarded('the writing of output', write), FLUSH_MILLISECONDS);
  }

  #withoutSecrets(message: string): string {
    let text = message;
    for (const secret of this.#secrets) text = text.replaceAll(secret, '[secret]');
    return text;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#unstored += lines.length;
    this.#writing = this.#writing.then(async () => {
      await attempt('the storing of output', () => this.#options.store(lines));
      this.#unstored -= lines.length;
    });
  }
}
