import { sql } from 'kysely';
import { listing } from '../../database/lists/listing.ts';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';

export type AutomationRow = Row<'automation'>;

export const automations = {
  ...rows('automation'),
  /** A new field of the filter is added here and to `AutomationFilter`. */
  ...listing(
    'automation',
    {
      id: { kind: 'id', column: sql`automation.id` },
      name: { kind: 'text', column: sql`automation.name` },
      created: { kind: 'time', column: sql`automation.created` },
      tags: { kind: 'tags', column: sql`automation.tags` },
    },
    {
      NAME_ASC: sql`automation.name asc, automation.id`,
      NAME_DESC: sql`automation.name desc, automation.id`,
      CREATED_DESC: sql`automation.created desc, automation.id`,
      UPDATED_DESC: sql`automation.updated desc, automation.id`,
    },
  ),
};

const relations = rows('automation_related_resource');
const buckets = rows('automation_bucket');
const heldEvents = rows('automation_held_event');
/** Firings of the parts of compound triggers. */
export const childFirings = rows('automation_child_firing');

/** Automations that the resource owns or that act on it, oldest first. */
export const listRelatedAutomations = statement<{ resource_id: string }, AutomationRow>(
  (_query, given) => sql`select automation.* from automation_related_resource related
    join automation on automation.workspace = related.workspace and automation.id = related.automation_id
    where related."workspace" = ${given.workspace} and related.resource_id = ${given.resource_id}
    order by automation.created, automation.id`,
);

const ownedIds = statement<{ resource_id: string }, { automation_id: string }>(
  (_query, given) => sql`select automation_id from automation_related_resource
    where "workspace" = ${given.workspace} and resource_id = ${given.resource_id} and automation_owned_by_resource
    order by automation_id`,
);

/**
 * Marks the automations of this workspace as changed for its triggers; each change of an automation begins with it. An
 * evaluation of triggers locks the same row, so the two take turns and an evaluation never sees half of a change.
 */
export const claimTriggers = statement<Record<string, never>, unknown>(
  (_query, given) => sql`insert into automation_progress ("workspace", version) values (${given.workspace}, 1)
    on conflict ("workspace") do update set version = automation_progress.version + 1`,
);

export async function listOwnedIds(db: Db, resource_id: string): Promise<string[]> {
  return (await db.all(ownedIds, { resource_id })).map(({ automation_id }) => automation_id);
}

export async function relateToOwner(tx: Tx, automation_id: string, resource_id: string): Promise<void> {
  await relations.insertUnlessThere(tx, { automation_id, resource_id, automation_owned_by_resource: true });
}

/** Replaces the resources that an automation acts on; its owner stays. */
export async function relateToActions(tx: Tx, automation_id: string, resources: readonly string[]): Promise<void> {
  await relations.removeAll(tx, { automation_id, automation_owned_by_resource: false });
  for (const resource_id of resources) {
    await relations.insertUnlessThere(tx, { automation_id, resource_id, automation_owned_by_resource: false });
  }
}

/** Deletes the counts of an automation's triggers. */
export async function forgetTriggers(tx: Tx, automation_id: string): Promise<void> {
  await buckets.removeAll(tx, { automation_id });
  await heldEvents.removeAll(tx, { automation_id });
  await childFirings.removeAll(tx, { automation_id });
}
