/** A process that sends and receives JSON-RPC in lines; all other output goes into the log. */
import { guarded, inBackground } from '../../../../watching/background.ts';
import { LineSplitter } from '../output/line-splitter.ts';
import type { OutputLog } from '../output/output-log.ts';
import { throttle } from '../output/throttle.ts';
import type { RunningProcess } from '../runner/runner.ts';
import { readStdioMessage, type StdioMessage } from './stdio-message.ts';

const MAX_LINE_BYTES = 10_485_760;
/** Bytes that may wait for a process that does not read. */
const MAX_UNREAD_BYTES = 16_777_216;

export class StdioProcess {
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
  readonly #process: RunningProcess;
  #listener: (message: StdioMessage) => void = () => {};
  /** True once this server has requested its end. */
  stopping = false;
  /** While its revision is probed, its end is an answer instead of a failure. */
  probed = false;

  constructor(process: RunningProcess, log: OutputLog) {
    this.#process = process;
    log.follow(process.stderr, 'stderr');
    const splitter = new LineSplitter(MAX_LINE_BYTES, (line, cut) => {
      if (cut) {
        log.say(`The process sent a message of more than ${MAX_LINE_BYTES} bytes and is stopped.`);
        this.end(0, 'it sent a message that is too long');
        return;
      }
      const message = readStdioMessage(line.toString('utf8'));
      if (message) this.#listener(message);
      else if (line.length > 0) log.line('stdout', line);
    });
    throttle(process.stdout);
    const failed = () => this.end(0, 'one of its messages could not be read');
    process.stdout.on(
      'data',
      guarded('a message of a hosted process', (chunk: Buffer) => splitter.push(chunk), failed),
    );
    process.stdout.once(
      'close',
      guarded('the last message of a hosted process', () => splitter.end()),
    );
    process.stdout.on('error', () => {});
    this.ended = process.ended.then(({ reason }) => reason);
  }

  /** Sets the one listener for messages from now on. */
  listen(listener: (message: StdioMessage) => void): void {
    this.#listener = listener;
  }

  /** False when the process reads too slowly, or no longer. */
  send(text: string): boolean {
    const { stdin } = this.#process;
    if (!stdin?.writable || stdin.writableLength > MAX_UNREAD_BYTES) return false;
    stdin.write(`${text}\n`);
    return true;
  }

  /** Calls `then` with the reason of its end. */
  whenEnded(then: (reason: string) => void): void {
    inBackground('the end of a hosted process', async () => then(await this.ended));
  }

  /** Stops it without waiting for its end. */
  end(graceSeconds: number, reason: string): void {
    inBackground('the stop of a hosted process', () => this.stop(graceSeconds, reason));
  }

  /** Closes its input, which requests the end of such a process, and signals it. */
  async stop(graceSeconds: number, reason: string): Promise<void> {
    this.stopping = true;
    this.#process.stdin?.end();
    await this.#process.stop(graceSeconds, reason);
  }

  memoryBytes(): number {
    return this.#process.memoryBytes();
  }
}
