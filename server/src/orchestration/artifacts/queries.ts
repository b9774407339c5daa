import { sql } from 'kysely';
import { always, and, type Condition, type Expression, type SqlDialect } from '../../database/dialect/dialect.ts';
import { compileFilter, type Filter } from '../../database/lists/filters.ts';
import { listedColumns } from '../../database/lists/large-values.ts';
import { rows } from '../../database/rows.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables/tables.ts';
import type { ListPart } from '../filters/pagination.ts';
import { ofRunsCondition, type RelatedFilters } from '../filters/related-conditions.ts';
import { artifactFields, collectionFields } from './filter-fields.ts';
import type { ArtifactSort } from './schema.ts';

export type ArtifactRow = Row<'artifact'>;
export type CollectionRow = Row<'artifact_collection'>;

export const artifacts = rows('artifact');
export const collections = rows('artifact_collection');

/** Does not read the row back: its data may be large. */
export const insertArtifactRow = statement<NewRow<'artifact'>, unknown>((query, given) =>
  query.insertInto('artifact').values(rowOf('artifact', given)),
);

/** The columns that a collection copies from its latest artifact. */
function latestOf(given: Omit<NewRow<'artifact_collection'>, 'key'>) {
  return {
    updated: given.updated,
    latest_id: given.latest_id,
    type: given.type,
    description: given.description,
    data: given.data,
    metadata_: given.metadata_,
    flow_run_id: given.flow_run_id,
    task_run_id: given.task_run_id,
  };
}

const upsertCollection = statement<NewRow<'artifact_collection'>, CollectionRow>((query, given) =>
  query
    .insertInto('artifact_collection')
    .values(rowOf('artifact_collection', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'key']).doUpdateSet(latestOf(given)))
    .returningAll(),
);

/** Like `upsertCollection`, but columns that the latest artifact omits keep their values. */
const upsertCollectionInPart = statement<NewRow<'artifact_collection'>, CollectionRow>((query, given) =>
  query
    .insertInto('artifact_collection')
    .values(rowOf('artifact_collection', given))
    .onConflict((conflict) =>
      conflict.columns(['workspace', 'key']).doUpdateSet({
        ...latestOf(given),
        type: sql`coalesce(${given.type}, artifact_collection.type)`,
        description: sql`coalesce(${given.description}, artifact_collection.description)`,
        metadata_: sql`coalesce(${given.metadata_}, artifact_collection.metadata_)`,
        flow_run_id: sql`coalesce(${given.flow_run_id}, artifact_collection.flow_run_id)`,
        task_run_id: sql`coalesce(${given.task_run_id}, artifact_collection.task_run_id)`,
      }),
    )
    .returningAll(),
);

export const findNewestArtifact = statement<{ key: string }, ArtifactRow>((query, given) =>
  query
    .selectFrom('artifact')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('key', '=', given.key)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** Makes `collection` the latest of its key; an existing one keeps its id and its time of creation. */
export async function upsertCollectionRow(
  tx: Tx,
  collection: NewRow<'artifact_collection'>,
  inPart: boolean,
): Promise<CollectionRow> {
  const stored = await tx.first(inPart ? upsertCollectionInPart : upsertCollection, collection);
  if (!stored) throw new Error('An upsert of an artifact collection returned no row.');
  return stored;
}

/** Filters on artifacts or collections themselves, and on the objects to which they belong. */
interface ArtifactFilters extends RelatedFilters {
  readonly artifacts?: Filter | null | undefined;
}

export function listArtifacts(db: Db, filters: ArtifactFilters, page: ListPart<ArtifactSort>): Promise<ArtifactRow[]> {
  const { dialect } = db;
  const order = orderOf('artifact', page.sort, dialect, asksForFew(filters));
  return listRows(db, 'artifact', artifactCondition(filters, dialect), order, page);
}

export function countArtifacts(db: Db, filters: ArtifactFilters): Promise<number> {
  return countRows(db, 'artifact', artifactCondition(filters, db.dialect));
}

export function listCollections(
  db: Db,
  filters: ArtifactFilters,
  page: ListPart<ArtifactSort>,
): Promise<CollectionRow[]> {
  const order = orderOf('artifact_collection', page.sort, db.dialect, false);
  return listRows(db, 'artifact_collection', collectionCondition(filters, db.dialect), order, page);
}

export function countCollections(db: Db, filters: ArtifactFilters): Promise<number> {
  return countRows(db, 'artifact_collection', collectionCondition(filters, db.dialect));
}

function artifactCondition(filters: ArtifactFilters, dialect: SqlDialect): Condition {
  return both(compileFilter(filters.artifacts, artifactFields, dialect), ofRunsCondition('artifact', filters, dialect));
}

function collectionCondition(filters: ArtifactFilters, dialect: SqlDialect): Condition {
  return both(
    compileFilter(filters.artifacts, collectionFields, dialect),
    ofRunsCondition('artifact_collection', filters, dialect),
  );
}

function both(own: Condition, related: Condition): Condition {
  return and([own, related].filter((condition) => condition !== always));
}

type ArtifactTable = 'artifact' | 'artifact_collection';

function listRows<R>(
  db: Db,
  table: ArtifactTable,
  condition: Condition,
  order: Expression,
  page: ListPart<ArtifactSort>,
): Promise<R[]> {
  const from = sql.table(table);
  return db.query(
    sql<R>`select ${listedColumns(db, table)} from ${from} where ${from}."workspace" = ${db.workspace} and ${condition}
      order by ${order} limit ${page.limit} offset ${page.offset}`,
  );
}

async function countRows(db: Db, table: ArtifactTable, condition: Condition): Promise<number> {
  const from = sql.table(table);
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from ${from} where ${from}."workspace" = ${db.workspace}
      and ${condition}`,
  );
  return row?.count ?? 0;
}

/**
 * True if few artifacts are expected: keys and runs have few artifacts, so these are found by an index and then sorted,
 * not read in order.
 */
function asksForFew({ artifacts, flow_runs, task_runs }: ArtifactFilters): boolean {
  const asks = (filter: Filter | null | undefined, fields: readonly string[]) => {
    const criteria = (filter ?? {}) as Readonly<Record<string, { any_?: unknown } | null | undefined>>;
    return (filter as { operator?: string })?.operator !== 'or_' && fields.some((field) => criteria[field]?.any_);
  };
  return asks(artifacts, ['key', 'flow_run_id', 'task_run_id']) || asks(flow_runs, ['id']) || asks(task_runs, ['id']);
}

function orderOf(table: ArtifactTable, sort: ArtifactSort, dialect: SqlDialect, unindexed: boolean): Expression {
  const column = (name: string) => {
    const reference = sql.ref(`${table}.${name}`);
    return unindexed ? dialect.unindexed(reference) : reference;
  };
  switch (sort) {
    case 'ID_DESC':
      return sql`${column('id')} desc`;
    case 'CREATED_DESC':
      return sql`${column('created')} desc`;
    case 'UPDATED_DESC':
      return sql`${column('updated')} desc`;
    case 'KEY_DESC':
      return dialect.orderBy(column('key'), 'desc');
    case 'KEY_ASC':
      return dialect.orderBy(column('key'), 'asc');
  }
}
