import { type DestinationStream, type LogFn, pino } from 'pino';
import { Unavailable } from '../errors.ts';
import { OutageLines } from './outage-lines.ts';

export type Logger = pino.Logger;
type LogFormat = 'auto' | 'json' | 'text';

/** Header and field names whose values are removed from log lines, at the top level and one below. */
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-csrf-token',
  'password',
  'secret',
  'token',
  'csrfToken',
  'apiKey',
  'device_code',
  'encryptionKey',
  'apiAuthString',
  'databaseUrl',
];

/**
 * The destination of log lines: stderr, so that stdout is free for the output of a command. `auto` writes lines for
 * people on a terminal, and JSON elsewhere. The library for the former is loaded only then.
 */
export async function logDestination(format: LogFormat): Promise<DestinationStream> {
  const destination = pino.destination(2);
  const formed = await formOf(format);
  if (!formed) return destination;
  return {
    write: (line) => {
      destination.write(formed(line));
    },
  };
}

/** A destination that does not hold the process up while nobody reads the log. */
export interface LogSink extends DestinationStream {
  /** False if it has enough for now. */
  write(line: string): boolean;
  /** Calls `act` once, when it takes more. */
  whenFree(act: () => void): void;
  /** Writes what waits, for the end of the process. */
  flush(): void;
}

/** Like `logDestination`, for a process that passes on the lines of others. */
export async function logSink(format: LogFormat): Promise<LogSink> {
  const destination = pino.destination({ dest: 2, sync: false });
  const formed = (await formOf(format)) ?? ((line: string) => line);
  // Each process whose log waits listens.
  destination.setMaxListeners(0);
  destination.on('error', () => {});
  return {
    write: (line) => destination.write(formed(line)),
    whenFree: (act) => destination.once('drain', act),
    flush: () => {
      try {
        destination.flushSync();
      } catch {
        // Nobody reads it any more.
      }
    },
  };
}

/** The form of a line for people; undefined if lines stay JSON. */
async function formOf(format: LogFormat): Promise<((line: string) => string) | undefined> {
  const { isTTY = false } = process.stderr;
  if (format === 'json' || (format === 'auto' && !isTTY)) return undefined;
  const { prettyFactory } = await import('pino-pretty');
  const options = { colorize: isTTY && process.stderr.hasColors(), translateTime: 'SYS:HH:MM:ss.l', singleLine: true };
  const prettify = prettyFactory(options);
  return (line) => prettify(withoutControls(line)) ?? line;
}

/** A terminal would obey control characters in input of callers. JSON already escapes those below the space. */
function withoutControls(line: string): string {
  return line.replaceAll(/\\u00[01][0-9a-f]|[\u007f-\u009f]/gi, '\ufffd');
}

/** A logger of JSON lines. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(2)): Logger {
  const paths = SECRET_NAMES.flatMap((name) =>
    /^\w+$/.test(name) ? [name, `*.${name}`] : [`["${name}"]`, `*["${name}"]`],
  );
  const outages = new OutageLines();
  const hooks = {
    logMethod(this: Logger, line: Parameters<LogFn>, write: LogFn): void {
      const [fields, message = ''] = line as unknown as [unknown, string?];
      const error = (fields as { err?: unknown } | null)?.err;
      if (!(error instanceof Unavailable)) write.apply(this, line);
      else outages.tell(message, error, (more) => write.call(this, { ...(fields as object), ...more }, message));
    },
  };
  return pino(
    {
      level,
      redact: { paths, censor: '[redacted]' },
      serializers: { err: (error) => errorOf(error) },
      base: null,
      hooks,
    },
    destination,
  );
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
  readonly cause?: LoggedError;
}

/**
 * The fields of an error in a log line. They leave out the row that a driver's error may contain, and, when a
 * dependency is away, the stack, which says nothing then.
 */
function errorOf(error: unknown, hasStack = !(error instanceof Unavailable)): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error' };
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(hasStack ? { stack: error.stack } : {}),
    ...(error.cause === undefined ? {} : { cause: errorOf(error.cause, hasStack) }),
  };
}
