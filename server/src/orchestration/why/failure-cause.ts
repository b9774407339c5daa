/** Reads the failure of a run: the exception, its place in the user's code, and the cause that failures share. */

interface RaisedException {
  /** Class name without its module: `ValueError`. */
  readonly type: string;
  readonly message: string;
}

interface CodeFrame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  /** The line of code, if the traceback has it. */
  readonly code: string | null;
}

interface Traceback {
  /** Frames from the first call to the one that raised. */
  readonly frames: readonly CodeFrame[];
  /** Index of the last frame that is neither in Python nor in an installed package; null if there is none. */
  readonly user_frame: number | null;
  /** The last line: `ValueError: no such row`. */
  readonly exception: string;
}

/** Clients write `… encountered an exception: ValueError: text`; tasks write `… exception ValueError('text')`. */
const RAISED = /encountered an exception:? (?:[a-z_]\w*\.)*([A-Za-z_]\w*)/;

/** Undefined if the message names no exception. Takes time in proportion to the length of the message. */
export function exceptionOf(message: string | null): RaisedException | undefined {
  const raised = RAISED.exec(message ?? '');
  const [matched = '', type] = raised ?? [];
  if (!raised || type === undefined) return undefined;
  const rest = raised.input.slice(raised.index + matched.length);
  if (rest === '' || rest.startsWith(': ')) return { type, message: rest.slice(2).trim() };
  if (rest.startsWith('(') && rest.endsWith(')')) return { type, message: rest.slice(1, -1).trim() };
  return undefined;
}

const MAX_CAUSE_LENGTH = 160;
/** Ids and quoted values may be longer than their placeholders. */
const MAX_READ_LENGTH = 10_000;

/** Two failures with one cause differ only in ids, numbers, quoted values and paths. */
export function causeOf(message: string | null): string {
  const exception = exceptionOf(message);
  const text = exception ? `${exception.type}: ${exception.message}` : (message ?? '');
  return text
    .slice(0, MAX_READ_LENGTH)
    .split('\n', 1)
    .join('')
    .replaceAll(/[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi, '…')
    .replaceAll(/'[^']*'|"[^"]*"/g, '…')
    .replaceAll(/0x[0-9a-f]+/gi, '…')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '…')
    .slice(0, MAX_CAUSE_LENGTH);
}

/** The message of a flow run that returned the states of its task runs. */
const STATES_FAILED = /^\d+\/\d+ states failed/;

/**
 * The first failed part of a run whose message explains the failure of the run. Undefined when no part does: a run may
 * fail after it has handled the failures of its parts.
 */
export function explainedBy<Part extends { readonly message: string | null }>(
  message: string | null,
  parts: readonly Part[],
): Part | undefined {
  const raised = raisedBy(message);
  if (raised !== undefined) return parts.find((part) => raisedBy(part.message) === raised);
  if (message === null || STATES_FAILED.test(message)) return parts[0];
  return parts.find((part) => part.message === message);
}

/** The exception of a message, in a form that is equal for `KeyError: 'x'` and `KeyError('x')`. */
export function raisedBy(message: string | null): string | undefined {
  const exception = exceptionOf(message);
  return exception && lettersOf(exception.type + exception.message);
}

export function lettersOf(text: string): string {
  return text.replaceAll(/\\[nrt]|[^\p{L}\p{N}]+/gu, '');
}

const FRAME = /^\s*File "([^"\n]{1,1000})", line (\d{1,9})(?:, in (.{1,200}))?$/;
/** Paths of Python and of installed packages; `<frozen …>` and `<string>` are not files. */
const NOT_OF_USERS = /[\\/](?:site|dist)-packages[\\/]|[\\/]lib(?:64)?[\\/]python\d|^<|[\\/]Lib[\\/](?!site-packages)/;
const MARKERS = /^\s*[\^~]+\s*$/;
const MAX_FRAMES = 200;
/** A longer traceback keeps its end, which contains the call that raised. */
const MAX_TRACEBACK_LENGTH = 100_000;

/**
 * Reads the last traceback in a log line: for chained exceptions, the one that ended the run. Undefined without one.
 */
export function readTraceback(text: string): Traceback | undefined {
  const begin = text.lastIndexOf('Traceback (most recent call last):');
  if (begin === -1) return undefined;
  const lines = text
    .slice(Math.max(begin, text.length - MAX_TRACEBACK_LENGTH))
    .split('\n')
    .slice(1);
  const frames: CodeFrame[] = [];
  let exception = '';
  for (const [index, line] of lines.entries()) {
    const [, file, number, name] = FRAME.exec(line) ?? [];
    if (file !== undefined) {
      if (frames.length === MAX_FRAMES) frames.shift();
      frames.push({ file, line: Number(number), function: name ?? '', code: codeAfter(lines, index) });
    } else if (/^\S/.test(line) && !MARKERS.test(line)) {
      exception = line.trim();
      break;
    }
  }
  const user_frame = frames.findLastIndex(({ file }) => !NOT_OF_USERS.test(file));
  return { frames, user_frame: user_frame === -1 ? null : user_frame, exception };
}

function codeAfter(lines: readonly string[], index: number): string | null {
  const next = lines[index + 1];
  return next === undefined || FRAME.test(next) || /^\S/.test(next) ? null : next.trim();
}
