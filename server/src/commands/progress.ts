/** What a command does now, on stderr: one line that changes on a terminal, and a line for each new step elsewhere. */
export interface Progress {
  show(doing: string): void;
  /** Takes the line away. */
  end(): void;
}

/** `verb` begins each line: `Reading`. */
export function progressLine(verb: string, stderr: NodeJS.WriteStream = process.stderr): Progress {
  let last = '';
  return {
    show: (doing) => {
      if (stderr.isTTY) return void stderr.write(`\r\u001b[K${verb} ${doing} ...`);
      // Counts change often; what is kept as a log gets one line for each step.
      const step = doing.split(', ')[0] ?? '';
      if (step !== last) stderr.write(`${verb} ${doing} ...\n`);
      last = step;
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}
