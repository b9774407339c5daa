/** Settings of the background services: which ones run, and when they act. */
import { suggestion } from '../values/nearest.ts';
import { listed, type Setting, wholeNumber } from './setting.ts';

/** Background services by name, as `SIGNALBOX_SERVICES` lists them. */
export const SERVICE_NAMES = [
  'scheduler',
  'backfills',
  'bulk-work',
  'failure-causes',
  'late-runs',
  'pause-expiry',
  'cancellation-cleanup',
  'zombie-detection',
  'foreman',
  'lease-expiry',
  'triggers',
  'actions',
  'builds',
  'manifests',
  'key-warnings',
  'log-index',
  'retention',
  'upgrades',
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/**
 * The kinds of rows that the retention service can delete: the values of Prefect's setting, and our own `logs` and
 * `mcp_requests`.
 */
export const RETENTION_KINDS = ['events', 'logs', 'orphans', 'flow_runs', 'mcp_requests'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export const serviceSettings = {
  services: {
    name: 'SIGNALBOX_SERVICES',
    fallback: 'all',
    separator: ',',
    none: 'none',
    description: 'Background services that run in this process: all, none, or a list of names, separated by commas.',
    check: (value) => {
      const unknown = value
        .split(',')
        .find((name) => !['all', 'none', ...(SERVICE_NAMES as readonly string[])].includes(name.trim()));
      return unknown === undefined
        ? undefined
        : `names an unknown service, "${unknown.trim()}"; the services are ${SERVICE_NAMES.join(', ')}.${suggestion(unknown.trim(), SERVICE_NAMES)}`;
    },
    read: servicesIn,
  },
  schedulerMinRuns: {
    name: 'SIGNALBOX_SCHEDULER_MIN_RUNS',
    alias: 'PREFECT_SERVER_SERVICES_SCHEDULER_MIN_RUNS',
    fallback: '3',
    description: 'Minimum number of future runs of each schedule.',
    ...wholeNumber(1, 1000),
  },
  schedulerMaxRuns: {
    name: 'SIGNALBOX_SCHEDULER_MAX_RUNS',
    alias: 'PREFECT_SERVER_SERVICES_SCHEDULER_MAX_RUNS',
    fallback: '100',
    description: 'Maximum runs the scheduler creates for one schedule in a pass.',
    ...wholeNumber(1, 1000),
  },
  schedulerMinSeconds: {
    name: 'SIGNALBOX_SCHEDULER_MIN_SECONDS',
    fallback: '3600',
    description: 'Minimum seconds ahead for which the runs of a schedule exist.',
    ...wholeNumber(0, 31_536_000),
  },
  schedulerMaxSeconds: {
    name: 'SIGNALBOX_SCHEDULER_MAX_SECONDS',
    fallback: '8640000',
    description: 'Maximum seconds ahead for which the scheduler creates runs.',
    ...wholeNumber(1, 315_360_000),
  },
  lateAfterSeconds: {
    name: 'SIGNALBOX_LATE_AFTER_SECONDS',
    alias: 'PREFECT_SERVER_SERVICES_LATE_RUNS_AFTER_SECONDS',
    fallback: '15',
    description: 'Seconds after its scheduled time at which a run that has not started becomes late.',
    ...wholeNumber(0, 86_400),
  },
  heartbeatSeconds: {
    name: 'SIGNALBOX_HEARTBEAT_SECONDS',
    alias: 'PREFECT_FLOWS_HEARTBEAT_FREQUENCY',
    fallback: '180',
    description:
      'Seconds between heartbeats that the server assumes for a flow run that has sent only one. A flow run becomes Crashed after three times as long without a heartbeat.',
    ...wholeNumber(1, 86_400),
  },
  retention: {
    name: 'SIGNALBOX_RETENTION',
    alias: 'PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED',
    fallback: 'events,flow_runs,logs,mcp_requests',
    separator: ',',
    none: 'none',
    description:
      'Data that the server deletes when it is old: events, logs, orphans (logs and artifacts of deleted flow runs), flow_runs (ended ones), mcp_requests (records of requests to MCP servers), or none.',
    check: (value) => {
      const unknown = listed(value).find(
        (kind) => !['true', 'false', 'none', ...(RETENTION_KINDS as readonly string[])].includes(kind),
      );
      return unknown === undefined
        ? undefined
        : `names an unknown kind, "${unknown}"; it accepts ${RETENTION_KINDS.join(', ')} or none.${suggestion(unknown, RETENTION_KINDS)}`;
    },
    read: retentionIn,
  },
  eventRetentionSeconds: {
    name: 'SIGNALBOX_EVENT_RETENTION_SECONDS',
    alias: 'PREFECT_SERVER_EVENTS_RETENTION_PERIOD',
    fallback: '604800',
    description: 'Age in seconds at which events are old.',
    ...wholeNumber(60, 3_155_760_000),
  },
  runRetentionSeconds: {
    name: 'SIGNALBOX_RUN_RETENTION_SECONDS',
    alias: 'PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD',
    fallback: '7776000',
    description: 'Age in seconds at which flow runs (since they ended) and logs (since they were written) are old.',
    ...wholeNumber(3600, 3_155_760_000),
  },
  mcpRequestRetentionSeconds: {
    name: 'SIGNALBOX_MCP_REQUEST_RETENTION_SECONDS',
    fallback: '2592000',
    description: 'Age in seconds at which records of requests to MCP servers are old.',
    ...wholeNumber(60, 3_155_760_000),
  },
} as const satisfies Record<string, Setting>;

function servicesIn(value: string): ReadonlySet<ServiceName> {
  const named = listed(value);
  if (named.includes('none')) return new Set();
  return new Set(SERVICE_NAMES.filter((name) => named.includes('all') || named.includes(name)));
}

/** The reference's setting also takes true for everything and false for its default. */
function retentionIn(value: string): ReadonlySet<RetentionKind> {
  const named = listed(value);
  if (named.includes('true')) return new Set(RETENTION_KINDS);
  if (named.includes('false')) return new Set(['events']);
  return new Set(RETENTION_KINDS.filter((kind) => named.includes(kind)));
}
