/**
 * The current activity of a command, on stderr: one line that changes on a terminal, and a line for each new step
 * elsewhere.
 */
interface Progress {
  show(doing: string): void;
  /** Clears the line. */
  end(): void;
}

/** `verb` is the first word of each line: `Reading`. */
export function progressLine(verb: string, stderr: NodeJS.WriteStream = process.stderr): Progress {
  let last = '';
  return {
    show: (doing) => {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${verb} ${doing} ...`);
        return;
      }
      // Counts change often, so a log gets only one line for each step.
      const step = doing.split(', ')[0] ?? '';
      if (step !== last) stderr.write(`${verb} ${doing} ...\n`);
      last = step;
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}

/** Shows on stderr what a command is doing, if it takes longer than a second; a terminal also shows the seconds. */
export async function during<T>(doing: string, work: Promise<T>): Promise<T> {
  const { stderr } = process;
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    if (stderr.isTTY) stderr.write(`\r\u001b[K${doing} ... ${seconds} s`);
    else if (seconds === 1) stderr.write(`${doing} ...\n`);
  }, 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (stderr.isTTY && seconds > 0) stderr.write('\r\u001b[K');
  }
}
