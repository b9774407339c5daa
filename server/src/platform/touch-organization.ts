import { platformStatement } from '../database/statement.ts';
import type { Timestamp } from '../values/time.ts';

/** Locks the organization until the transaction ends, so that changes of its members take turns. */
export const touchOrganization = platformStatement<{ organization_id: string; now: Timestamp }, unknown>(
  (query, given) =>
    query.updateTable('organization').set({ updated: given.now }).where('id', '=', given.organization_id),
);
