import { newId } from '../id.ts';
import type { Clock } from '../time.ts';
import { statement } from './statement.ts';
import type { Store } from './store.ts';

/** The workspace table is about workspaces themselves, so its key stands where other tables name their owner. */
const DEFAULT_KEY = 1;

const insertDefault = statement<{ id: string; now: string; name: string }, unknown>((query, given) =>
  query
    .insertInto('workspace')
    .values({
      key: DEFAULT_KEY,
      id: given.id,
      created: given.now as never,
      updated: given.now as never,
      name: given.name,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Makes the workspace behind `/api` at first start; returns its key. */
export async function ensureDefaultWorkspace(store: Store, clock: Clock): Promise<number> {
  await store.transaction(DEFAULT_KEY, (tx) =>
    tx.run(insertDefault, { id: newId(), now: clock.now(), name: 'default' }),
  );
  return DEFAULT_KEY;
}

const listKeys = statement<Record<string, never>, { key: number }>((query) =>
  query.selectFrom('workspace').select('key').orderBy('key'),
);

/** The keys of all workspaces: for background services, which see to each in turn. */
export async function listWorkspaces(store: Store): Promise<number[]> {
  return (await store.reads(DEFAULT_KEY).all(listKeys)).map(({ key }) => key);
}
