/** Runs the commands of a build one after the other, with their output in the build's log. */

import type { HostingCeilings } from '../../../../config.ts';
import { guarded } from '../../../../watching/background.ts';
import { BuildFailed } from '../../boundary/build-failed.ts';
import { baseEnvironment } from '../instances/launch.ts';
import type { OutputLog } from '../output/output-log.ts';
import type { ProgramFiles, Runner } from '../runner/runner.ts';

const STOP_SECONDS = 3;
/** Limit of the output that `ask` returns; the log has other limits. */
const MAX_ANSWER_BYTES = 65_536;

interface StepsOptions {
  readonly runner: Runner;
  readonly serverId: string;
  readonly ceilings: HostingCeilings;
  readonly log: OutputLog;
  /** Ends the build. */
  readonly signal: AbortSignal;
  readonly home: string;
  /** Folders of the build that its commands write to. */
  readonly writable: readonly string[];
  /** The server's variables from the time of the build's request. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface StepOptions {
  /** Overrides the variables of the server. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The name of the program, if the command runs it through another one. */
  readonly name?: string;
  /** The text that the log shows instead of the command. */
  readonly said?: string;
  /** Parts of the machine that the command needs besides the system. */
  readonly machine?: ProgramFiles['machine'];
}

export class Steps {
  readonly #options: StepsOptions;

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  say(message: string): void {
    this.#options.log.say(message);
  }

  /** Throws BuildFailed when it does not end with status 0. */
  async run(command: readonly string[], directory: string, options: StepOptions = {}): Promise<void> {
    const { code, reason } = await this.#execute(command, directory, options, false);
    if (code !== 0) throw new BuildFailed(`${options.name ?? nameOf(command)} ${reason}.`);
  }

  /** Resolves with the output of the command and its exit status. */
  async ask(
    command: readonly string[],
    directory: string,
    options: StepOptions = {},
  ): Promise<{ code: number | null; output: string }> {
    return this.#execute(command, directory, options, true);
  }

  /** Passes the output on piece by piece. An error from `take` ends the command, and is thrown. */
  async read(
    command: readonly string[],
    directory: string,
    options: StepOptions & { readonly take: (piece: Buffer) => void },
  ): Promise<void> {
    const { code, reason } = await this.#execute(command, directory, options, true);
    if (code !== 0) throw new BuildFailed(`${options.name ?? nameOf(command)} ${reason}.`);
  }

  async #execute(
    command: readonly string[],
    directory: string,
    options: StepOptions & { readonly take?: (piece: Buffer) => void },
    keeps: boolean,
  ) {
    const { runner, serverId, ceilings, log, signal, home, writable, variables } = this.#options;
    signal.throwIfAborted();
    if (!keeps) log.say(options.said ?? `$ ${command.join(' ')}`);
    const process = runner.start({
      serverId,
      command,
      directory,
      files: { writable, temporary: home, readable: [], machine: options.machine ?? [] },
      environment: { ...baseEnvironment(home, home), CI: 'true', ...variables, ...options.environment },
      memoryMegabytes: ceilings.memoryMegabytes,
      diskMegabytes: ceilings.diskMegabytes,
      maxFiles: ceilings.files,
      input: false,
    });
    const stop = guarded('the end of a build step', () => process.stop(STOP_SECONDS, 'the build was ended'));
    let output = '';
    let problem: { readonly error: unknown } | undefined;
    const { take } = options;
    if (take) {
      const taken = (piece: Buffer) => {
        if (problem) return;
        try {
          take(piece);
        } catch (error) {
          problem = { error };
          stop();
        }
      };
      process.stdout.on('data', guarded('output of a build step', taken, stop));
    } else if (keeps) {
      const keep = (chunk: Buffer) => {
        if (output.length < MAX_ANSWER_BYTES) output += chunk.toString('utf8');
      };
      process.stdout.on('data', guarded('output of a build step', keep, stop));
    } else log.follow(process.stdout, 'stdout');
    log.follow(process.stderr, 'stderr');
    signal.addEventListener('abort', stop);
    const end = await process.ended;
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
    if (problem) throw problem.error;
    return { ...end, output };
  }
}

function nameOf([program = '']: readonly string[]): string {
  return program.split('/').at(-1) ?? program;
}
