import { newId } from '../values/id.ts';
import type { Clock, Timestamp } from '../values/time.ts';
import { rows } from './rows.ts';
import { platformStatement } from './statement.ts';
import type { Store } from './store.ts';

/** The workspace table describes workspaces themselves, so its key replaces the owner column of other tables. */
const DEFAULT_KEY = 1;

export const organizations = rows('organization');
export const workspaces = rows('workspace');

/** Names the columns of the first version, so that a database of any version can be begun. */
const insertDefaultOrganization = platformStatement<{ id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .insertInto('organization')
    .values({ id: given.id, created: given.now, updated: given.now, name: 'Default', slug: 'default' })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Makes the workspace behind `/api`, and the organization that owns it, at first start; returns its key. */
export async function ensureDefaultWorkspace(store: Store, clock: Clock): Promise<number> {
  await store.transaction(DEFAULT_KEY, async (tx) => {
    if (await workspaces.first(tx, { key: DEFAULT_KEY })) return;
    const now = clock.now();
    const stamps = { created: now, updated: now };
    const organization_id = newId();
    await tx.run(insertDefaultOrganization, { id: organization_id, now });
    const workspace = { name: 'default', handle: 'default', description: '', default_role: null };
    await workspaces.insertUnlessThere(tx, { ...stamps, key: DEFAULT_KEY, id: newId(), organization_id, ...workspace });
  });
  return DEFAULT_KEY;
}

/** Owns the workspaces that were deleted and still have rows. It has no member, so no caller has access to them. */
export const REMOVED_WORKSPACES = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const listKeys = platformStatement<Record<string, never>, { key: number }>((query) =>
  query.selectFrom('workspace').select('key').where('organization_id', '<>', REMOVED_WORKSPACES).orderBy('key'),
);

/** The keys of all workspaces that are not deleted, which background services process in turn. */
export async function listWorkspaces(store: Store): Promise<number[]> {
  return (await store.reads(DEFAULT_KEY).all(listKeys)).map(({ key }) => key);
}
