import { pino } from 'pino';

export type Logger = pino.Logger;

/** Header and field names whose values never reach a log line. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.secret',
  '*.token',
];

/** JSON lines on stderr, so that stdout stays for what a command prints. */
export function createLogger(level: string): Logger {
  return pino({ level, redact: { paths: SECRET_PATHS, censor: '[redacted]' }, base: null }, pino.destination(2));
}
