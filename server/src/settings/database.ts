/** Settings of the database: its address, time limits and connections. */
import { oneOf, type Setting, wholeNumber } from './setting.ts';

export const databaseSettings = {
  databaseTimeoutSeconds: {
    name: 'SIGNALBOX_DATABASE_TIMEOUT_SECONDS',
    alias: 'PREFECT_SERVER_DATABASE_TIMEOUT',
    fallback: '10',
    description:
      'Seconds that one query of a request may take. A longer one is cancelled, and its request gets 503. Queries of background services may take ten times as long. 0: no limit.',
    check: secondsUpTo(3600),
    read: Number,
  },
  databaseLockSeconds: {
    name: 'SIGNALBOX_DATABASE_LOCK_SECONDS',
    fallback: '5',
    description: 'Seconds that a write waits for rows that another write has locked (PostgreSQL). 0: no limit.',
    check: secondsUpTo(3600),
    read: Number,
  },
  databaseConnections: {
    name: 'SIGNALBOX_DATABASE_CONNECTIONS',
    alias: 'PREFECT_SERVER_DATABASE_SQLALCHEMY_POOL_SIZE',
    fallback: '10',
    description:
      'Connections for requests (PostgreSQL). Background services have four more, changes of the schema one, and what other servers commit arrives over one.',
    ...wholeNumber(2, 1000),
  },
  logSearchIndex: {
    name: 'SIGNALBOX_LOG_SEARCH_INDEX',
    fallback: 'true',
    description:
      'Whether the words of log lines are indexed for the search over all runs. With false, a text is searched within a run, a flow or a day only, and the index is deleted.',
    check: oneOf('true', 'false'),
    read: (value) => value === 'true',
  },
} as const satisfies Record<string, Setting>;

/** Prefect's time-outs have a fraction: `10.0`. */
function secondsUpTo(most: number) {
  return (value: string) =>
    /^\d+(\.\d+)?$/.test(value) && Number(value) <= most ? undefined : `must be a number from 0 to ${most}`;
}
