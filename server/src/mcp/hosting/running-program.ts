/** A program that this server calls. It counts the open calls, from which the host knows when the program may end. */
import { guarded } from '../../watching/background.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../upstream/upstream.ts';

/** Longest delay before the host learns of a use. */
const TELL_MILLISECONDS = 500;
/** Time for which the connection to it stays open after it was left. */
const QUIET_MILLISECONDS = 1000;

interface RunningProgramOptions {
  readonly serverId: string;
  /** The version with which it was started; see `versionOf`. */
  readonly version: string;
  /** The connection to it, without counting. */
  readonly upstream: Upstream;
  tell(underWay: number): void;
  /** Closes the connection to it. */
  close(): Promise<void>;
  ended(): void;
}

export class RunningProgram implements Upstream {
  readonly #options: RunningProgramOptions;
  calls = 0;
  #isLeft = false;
  #isGone = false;
  #telling: NodeJS.Timeout | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: RunningProgramOptions) {
    this.#options = options;
  }

  get serverId(): string {
    return this.#options.serverId;
  }

  get version(): string {
    return this.#options.version;
  }

  /** True if it accepts only requests that are open or about to be sent. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Call it before each use. */
  touch(): void {
    if (this.#isLeft) return;
    this.#telling ??= setTimeout(
      guarded('news of a hosted server', () => this.#tell()),
      TELL_MILLISECONDS,
    ).unref();
  }

  leave(): void {
    this.#isLeft = true;
    this.#tell();
  }

  /** Its host is gone, so open calls fail. */
  lose(): void {
    this.#isLeft = true;
    this.#isGone = true;
    this.#endWhenQuiet();
  }

  /** Closes the connection to it, with open calls. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#telling);
    this.#isLeft = true;
    this.#isGone = true;
    this.#options.ended();
    await this.#options.close();
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    this.calls++;
    this.#changed();
    let over = false;
    const finish = () => {
      if (over) return;
      over = true;
      this.calls--;
      this.#changed();
    };
    const call = this.#options.upstream.send(request, {
      begin: (status, headers) => sink.begin(status, headers),
      data: (chunk) => sink.data(chunk),
      end: () => {
        finish();
        sink.end();
      },
      fail: (error) => {
        finish();
        sink.fail(error);
      },
    });
    return {
      abort: () => {
        finish();
        call.abort();
      },
      resume: () => call.resume(),
    };
  }

  #changed(): void {
    if (this.#isLeft) this.#tell();
    else this.touch();
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    if (!this.#isGone) this.#options.tell(this.calls);
    this.#endWhenQuiet();
  }

  /** A caller that has just got it has not sent its request yet. */
  #endWhenQuiet(): void {
    if (!this.#isLeft || this.calls > 0) return;
    setTimeout(
      guarded('the end of the way to a hosted server', async () => {
        if (this.calls === 0) await this.end();
      }),
      QUIET_MILLISECONDS,
    ).unref();
  }
}
