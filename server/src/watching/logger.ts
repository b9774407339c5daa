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
  const { isTTY = false } = process.stderr;
  if (format === 'json' || (format === 'auto' && !isTTY)) return destination;
  const { prettyFactory } = await import('pino-pretty');
  const options = { colorize: isTTY && process.stderr.hasColors(), translateTime: 'SYS:HH:MM:ss.l', singleLine: true };
  const prettify = prettyFactory(options);
  return {
    write: (line) => {
      destination.write(prettify(withoutControls(line)) ?? line);
    },
  };
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
