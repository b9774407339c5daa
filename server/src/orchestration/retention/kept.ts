/** Chooses the time for which rows of a workspace are kept: as long as the server keeps them, or as its own rules say. */
import type { Context } from '../../context/context.ts';
import { waitForDropSeconds } from '../../database/partitions.ts';
import type { RetentionKind } from '../../settings/services.ts';
import type { RetentionRules } from './rules.ts';

export type RuledKind = Extract<RetentionKind, 'events' | 'logs' | 'flow_runs'>;

/** Undefined: forever. */
export function serverSeconds({ config }: Pick<Context['server'], 'config'>, kind: RuledKind): number | undefined {
  if (!config.retention.has(kind)) return undefined;
  return kind === 'events' ? config.eventRetentionSeconds : config.runRetentionSeconds;
}

const ruled = { events: 'eventSeconds', logs: 'logSeconds', flow_runs: 'flowRunSeconds' } as const;

/**
 * The age at which batches delete rows; undefined for rows that stay forever. Rows that every workspace keeps equally long
 * wait a little longer on PostgreSQL, for the drop of their partition.
 */
export function keptSeconds(
  { server }: { readonly server: Pick<Context['server'], 'config' | 'store'> },
  kind: RuledKind,
  rules: RetentionRules,
): number | undefined {
  const longest = serverSeconds(server, kind);
  const own = rules[ruled[kind]];
  if (own !== null && (longest === undefined || own < longest)) return own;
  if (longest === undefined || kind === 'flow_runs') return longest;
  return longest + waitForDropSeconds(server.store.partitions, longest);
}
