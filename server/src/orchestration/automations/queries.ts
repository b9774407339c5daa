import { sql } from 'kysely';
import { deleteReturningById, selectById } from '../../database/by-id.ts';
import type { SqlDialect } from '../../database/dialect.ts';
import { compileFilter } from '../../database/filters.ts';
import { listedColumns } from '../../database/large-values.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables.ts';
import type { ListPart } from '../filters/pagination.ts';
import { automationFields } from './filter-fields.ts';
import type { AutomationFilter, AutomationSort } from './schema.ts';

export type AutomationRow = Row<'automation'>;

const automationById = selectById('automation');

const insert = statement<NewRow<'automation'>, AutomationRow>((query, given) =>
  query.insertInto('automation').values(rowOf('automation', given)).returningAll(),
);

type Content = Omit<NewRow<'automation'>, 'created'>;

const update = statement<Content, AutomationRow>((query, given) =>
  query
    .updateTable('automation')
    .set({
      updated: given.updated,
      name: given.name,
      description: given.description,
      enabled: given.enabled,
      tags: given.tags,
      trigger: given.trigger,
      actions: given.actions,
      actions_on_trigger: given.actions_on_trigger,
      actions_on_resolve: given.actions_on_resolve,
    })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .returningAll(),
);

const updateEnabled = statement<Pick<AutomationRow, 'id' | 'enabled' | 'updated'>, AutomationRow>((query, given) =>
  query
    .updateTable('automation')
    .set({ enabled: given.enabled, updated: given.updated })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .returningAll(),
);

const deleteRow = deleteReturningById('automation');

const relatedTo = statement<{ resource_id: string }, AutomationRow>(
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

const relate = statement<{ automation_id: string; resource_id: string; owns: boolean }, unknown>((query, given) =>
  query
    .insertInto('automation_related_resource')
    .values({
      workspace: given.workspace,
      automation_id: given.automation_id,
      resource_id: given.resource_id,
      automation_owned_by_resource: given.owns,
    })
    .onConflict((conflict) => conflict.columns(['workspace', 'automation_id', 'resource_id']).doNothing()),
);

const dropUnowned = statement<{ id: string }, unknown>(
  (_query, given) => sql`delete from automation_related_resource
    where "workspace" = ${given.workspace} and automation_id = ${given.id} and not automation_owned_by_resource`,
);

const raiseVersion = statement<Record<string, never>, unknown>(
  (_query, given) => sql`insert into automation_progress ("workspace", version) values (${given.workspace}, 1)
    on conflict ("workspace") do update set version = automation_progress.version + 1`,
);

const dropBuckets = statement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('automation_bucket').where('workspace', '=', given.workspace).where('automation_id', '=', given.id),
);

const dropHeldEvents = statement<{ id: string }, unknown>((query, given) =>
  query
    .deleteFrom('automation_held_event')
    .where('workspace', '=', given.workspace)
    .where('automation_id', '=', given.id),
);

const dropChildFirings = statement<{ id: string }, unknown>((query, given) =>
  query
    .deleteFrom('automation_child_firing')
    .where('workspace', '=', given.workspace)
    .where('automation_id', '=', given.id),
);

export function findAutomation(db: Db, id: string): Promise<AutomationRow | undefined> {
  return db.first(automationById, { id });
}

export async function insertAutomation(tx: Tx, row: NewRow<'automation'>): Promise<AutomationRow> {
  await claimTriggers(tx);
  const inserted = await tx.first(insert, row);
  if (!inserted) throw new Error('An automation was inserted, but not returned.');
  return inserted;
}

/** Undefined when there is no such automation. */
export async function updateAutomationRow(tx: Tx, content: Content): Promise<AutomationRow | undefined> {
  await claimTriggers(tx);
  return tx.first(update, content);
}

export async function updateAutomationEnabled(
  tx: Tx,
  change: Pick<AutomationRow, 'id' | 'enabled' | 'updated'>,
): Promise<AutomationRow | undefined> {
  await claimTriggers(tx);
  return tx.first(updateEnabled, change);
}

export async function deleteAutomationRow(tx: Tx, id: string): Promise<AutomationRow | undefined> {
  await claimTriggers(tx);
  return tx.first(deleteRow, { id });
}

/** Automations that the resource owns or that act on it, oldest first. */
export function listRelatedAutomations(db: Db, resource_id: string): Promise<AutomationRow[]> {
  return db.all(relatedTo, { resource_id });
}

export async function listOwnedIds(db: Db, resource_id: string): Promise<string[]> {
  return (await db.all(ownedIds, { resource_id })).map(({ automation_id }) => automation_id);
}

export async function relateToOwner(tx: Tx, automation_id: string, resource_id: string): Promise<void> {
  await tx.run(relate, { automation_id, resource_id, owns: true });
}

/** Replaces the resources that an automation acts on; its owner stays. */
export async function relateToActions(tx: Tx, automation_id: string, resources: readonly string[]): Promise<void> {
  await tx.run(dropUnowned, { id: automation_id });
  for (const resource_id of resources) await tx.run(relate, { automation_id, resource_id, owns: false });
}

/**
 * Marks the automations of this workspace as changed for its triggers; each change of an automation does. A transaction
 * that reads before it writes begins with it: an evaluation of triggers locks the same row, so the two take turns and an
 * evaluation never sees half of a change.
 */
export async function claimTriggers(tx: Tx): Promise<void> {
  await tx.run(raiseVersion);
}

/** Deletes the counts of an automation's triggers. */
export async function forgetTriggers(tx: Tx, id: string): Promise<void> {
  await tx.run(dropBuckets, { id });
  await tx.run(dropHeldEvents, { id });
  await tx.run(dropChildFirings, { id });
}

type Filter = AutomationFilter | null | undefined;

export function listAutomations(db: Db, filter: Filter, page: ListPart<AutomationSort>): Promise<AutomationRow[]> {
  return db.query(
    sql<AutomationRow>`select ${listedColumns(db, 'automation')} from automation where automation."workspace" = ${db.workspace}
      and ${compileFilter(filter, automationFields, db.dialect)}
      order by ${orderOf(page.sort, db.dialect)}, automation.id limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countAutomations(db: Db, filter: Filter): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from automation where automation."workspace" = ${db.workspace}
      and ${compileFilter(filter, automationFields, db.dialect)}`,
  );
  return row?.count ?? 0;
}

function orderOf(sort: AutomationSort, dialect: SqlDialect) {
  switch (sort) {
    case 'NAME_ASC':
      return dialect.orderBy(sql`automation.name`, 'asc');
    case 'NAME_DESC':
      return dialect.orderBy(sql`automation.name`, 'desc');
    case 'CREATED_DESC':
      return dialect.orderBy(sql`automation.created`, 'desc');
    case 'UPDATED_DESC':
      return dialect.orderBy(sql`automation.updated`, 'desc');
  }
}
