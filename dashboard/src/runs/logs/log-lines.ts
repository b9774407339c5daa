/** The lines of log records, with the frames of engines and packages folded. */

export interface LogRecord {
  readonly id?: string | undefined;
  readonly message: string;
}

export interface LogLine<Log extends LogRecord> {
  readonly key: string;
  readonly log: Log;
  readonly text: string;
  /** True for the first line of its record. */
  readonly isFirst: boolean;
  /** Number of frames that this line represents; 0 for a line of the log. */
  readonly folded: number;
}

const FRAME = /^\s*File "([^"\n]{1,1000})", line \d+/;
/** Paths of Python and of installed packages; `<frozen …>` and `<string>` are not files. */
const NOT_OF_USERS = /[\\/](?:site|dist)-packages[\\/]|[\\/]lib(?:64)?[\\/]python\d|^<|[\\/]Lib[\\/](?!site-packages)/;
/** Matches the code and the marks below a frame, which are indented further. */
const BELOW_FRAME = /^\s{4,}(?!File ")/;

/** Folds whose keys are in `opened` are shown in full. */
export function linesOf<Log extends LogRecord>(log: Log, opened: ReadonlySet<string>, foldsFrames: boolean) {
  const lines: LogLine<Log>[] = [];
  const texts = log.message.split('\n');
  for (let index = 0; index < texts.length; ) {
    const end = foldsFrames ? endOfEngineFrames(texts, index) : { index, frames: 0 };
    const key = `${log.id} ${index}`;
    const isFirst = index === 0;
    if (end.frames === 0 || opened.has(key)) {
      const to = Math.max(end.index, index + 1);
      for (; index < to; index++) {
        lines.push({ key: `${log.id} ${index}`, log, text: texts[index] ?? '', isFirst: index === 0, folded: 0 });
      }
    } else {
      lines.push({ key, log, text: '', isFirst, folded: end.frames });
      index = end.index;
    }
  }
  return lines;
}

/** The index after the frames that begin here, and their number. */
function endOfEngineFrames(texts: readonly string[], start: number): { index: number; frames: number } {
  let index = start;
  let frames = 0;
  for (;;) {
    const [, file] = FRAME.exec(texts[index] ?? '') ?? [];
    if (file === undefined || !NOT_OF_USERS.test(file)) return { index, frames };
    frames += 1;
    index += 1;
    while (index < texts.length && BELOW_FRAME.test(texts[index] ?? '')) index += 1;
  }
}
