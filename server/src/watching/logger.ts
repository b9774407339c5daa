import { type DestinationStream, type LogFn, pino } from 'pino';
import { Unavailable } from '../errors.ts';
import { OutageLines } from './outage-lines.ts';

export type Logger = pino.Logger;
export type LogFormat = 'auto' | 'json' | 'text';

/** Header and field names whose values never reach a log line, at the top and one level below. */
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
 * Where log lines go: stderr, so that stdout is free for the output of a command. `auto` writes lines for people on a
 * terminal, and JSON elsewhere. The library for the former is loaded for it alone.
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

/** A terminal would obey control characters in what callers sent. JSON escapes those below the space itself. */
function withoutControls(line: string): string {
  return line.replaceAll(/\\u00[01][0-9a-f]|[\u007f-\u009f]/gi, '\ufffd');
}

/** JSON lines to the destination. */
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
 * The fields of an error in a log line. A driver's error also holds the row that it was about, which is left out. When
 * a dependency is away, the place in the code says nothing, so it is left out too.
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
