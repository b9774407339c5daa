/** Keeps, for each workspace, when the first Prefect client called it, and its version. */

import type { Hub } from '../../changes/hub.ts';
import { messageFrame } from '../../changes/live-frame.ts';
import { findConfiguration } from '../../database/opening/configuration.ts';
import { rows } from '../../database/rows.ts';
import type { Db, Store } from '../../database/store.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { jsonTextOf } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { inBackground } from '../../watching/background.ts';

interface ClientSeen {
  readonly version: string;
  readonly seen: Timestamp;
}

interface Parts {
  readonly store: Store;
  readonly hub: Hub;
}

const KEY = 'client-seen';
const MOST_WORKSPACES = 10_000;
const LONGEST_VERSION = 50;
const values = rows('configuration');

/** The workspaces of each process that need no further look. */
const known = new WeakMap<Store, BoundedMap<number, true>>();

/**
 * Costs one look in memory, except for the first request of a client to a workspace in this process. When the note
 * cannot be written, it is left out: the runs of the client show that it came.
 */
export function noteClient({ store, hub }: Parts, workspace: number, version: string, now: Timestamp): void {
  const seen =
    known.get(store) ?? new BoundedMap<number, true>({ name: 'workspaces with a client', most: MOST_WORKSPACES });
  known.set(store, seen);
  if (seen.get(workspace)) return;
  seen.set(workspace, true);
  inBackground('the note of the first client', async () => {
    if (await findClientSeen(store.reads(workspace, { background: true }))) return;
    const value = jsonTextOf({ version: version.slice(0, LONGEST_VERSION), seen: now } satisfies ClientSeen);
    await store.transaction(workspace, async (tx) => {
      if (!(await values.insertUnlessThere(tx, { key: KEY, value }))) return;
      tx.afterCommit(() => hub.tell('changes', workspace, messageFrame('[{"type":"first_hour"}]')));
    });
  });
}

export async function findClientSeen(db: Db): Promise<ClientSeen | undefined> {
  const stored = await findConfiguration(db, KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as ClientSeen);
}
