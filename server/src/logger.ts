import { type DestinationStream, type LogFn, pino } from 'pino';
import { Unavailable } from './errors.ts';
import { OutageLines } from './outage-lines.ts';

export type Logger = pino.Logger;

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

/** JSON lines on stderr, so that stdout is free for the output of a command. */
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
