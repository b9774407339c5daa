/**
 * An import writes rows with the times of their source, some of which are older than this server's retention time.
 * Their age counts from the import: for the retention time of a kind after it, the workspace deletes no rows of that
 * kind.
 */
import { findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import type { Db, Tx } from '../../database/store.ts';
import { parseDateTime } from '../../schema/parse-datetime.ts';
import { jsonTextOf, parseObject } from '../../values/json.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

/** Runs also represent their logs and artifacts. */
export type HeldKind = 'events' | 'flow_runs';

const KEY = 'import-hold';

/** Time of the last import of old rows of the kind. */
async function importTime(db: Db, kind: HeldKind): Promise<Timestamp | undefined> {
  const stored = await findConfiguration(db, KEY);
  const time = stored && parseObject(stored)[kind];
  return typeof time === 'string' ? parseDateTime(time) : undefined;
}

/** From now on, rows of the kind in this workspace count as not older than `now`, whatever their times. */
export async function holdFrom(tx: Tx, kind: HeldKind, now: Timestamp): Promise<void> {
  const stored = await findConfiguration(tx, KEY);
  await putConfiguration(tx, KEY, jsonTextOf({ ...(stored && parseObject(stored)), [kind]: now }));
}

/** The SQL condition of PostgreSQL that an import of any workspace keeps rows of the kind. */
export function isHeldAnywhere(kind: HeldKind, now: Timestamp, seconds: number): string {
  return `exists (select from configuration where key = '${KEY}'
    and (value::json ->> '${kind}')::timestamptz > '${addSeconds(now, -seconds)}')`;
}

/** The time before which rows of the kind are old; undefined while an import keeps all of them. */
export async function oldBefore(
  db: Db,
  kind: HeldKind,
  now: Timestamp,
  seconds: number,
): Promise<Timestamp | undefined> {
  const imported = await importTime(db, kind);
  return imported && addSeconds(imported, seconds) > now ? undefined : addSeconds(now, -seconds);
}
