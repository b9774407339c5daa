/** The log levels to which a client can subscribe. Source: modelcontextprotocol.io, `LoggingLevel`. */
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The error for any other level. A session stores its level, so only these short names are accepted. */
export const NO_LOG_LEVEL = `The level must be one of: ${LOG_LEVELS.join(', ')}.`;

export function isLogLevel(given: unknown): given is LogLevel {
  return LOG_LEVELS.some((level) => level === given);
}
