import { type DestinationStream, pino } from 'pino';

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

/** JSON lines on stderr, so that stdout stays for what a command prints. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(2)): Logger {
  const paths = SECRET_NAMES.flatMap((name) =>
    /^\w+$/.test(name) ? [name, `*.${name}`] : [`["${name}"]`, `*["${name}"]`],
  );
  return pino(
    { level, redact: { paths, censor: '[redacted]' }, serializers: { err: errorOf }, base: null },
    destination,
  );
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack: string | undefined;
  readonly cause?: LoggedError;
}

/** What a log line tells of an error. A driver's error also holds the row that it was about, and that stays out. */
function errorOf(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error', stack: undefined };
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: errorOf(error.cause) }),
  };
}
