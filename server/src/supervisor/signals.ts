/** The signals of a terminal, a service manager or a container. */
import { guarded } from '../watching/background.ts';

/** A terminal signals the whole group, and npm passes its own signal on: what comes within this time is the same one. */
const SAME_MILLISECONDS = 1000;
/** Time between checks for the process that started this one. */
const PARENT_MILLISECONDS = 1000;
/** It may end while this one starts. */
const startedBy = process.ppid;

interface Orders {
  stop(): void;
  /** The second signal: end now. */
  kill(): void;
  restart(): void;
}

/** SIGINT and SIGTERM stop; a second one ends the process. SIGHUP restarts, unless it says that the terminal is gone. */
export function watchSignals({ stop, kill, restart }: Orders): void {
  let stoppedAt: number | undefined;
  const onStop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      stop();
    } else if (now - stoppedAt > SAME_MILLISECONDS) {
      kill();
      for (const each of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(each);
      process.kill(process.pid, signal);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onStop);
  const hasTerminal = process.stdin.isTTY === true || process.stderr.isTTY === true;
  process.on(
    'SIGHUP',
    guarded('a restart', () => (hasTerminal ? onStop('SIGTERM') : restart())),
  );
  whenNpmEnds(() => onStop('SIGTERM'));
}

/**
 * Calls `stop` when the process that started this one ends, if that is npm: it passes a signal to the shell between
 * them, which ends and leaves this process without a parent.
 */
export function whenNpmEnds(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const look = guarded('a check for the process that started this one', () => {
    if (process.ppid === startedBy) return;
    clearInterval(timer);
    stop();
  });
  const timer = setInterval(look, PARENT_MILLISECONDS);
}
