import { sql } from 'kysely';
import type { Expression } from '../../database/dialect/dialect.ts';
import { combine, compileField, type FieldCompiler, type FilterFields } from '../../database/lists/filters.ts';

/** Filterable fields of an artifact. A new field is added here and to `ArtifactFilter`. */
export const artifactFields: FilterFields = {
  id: { kind: 'id', column: sql`artifact.id` },
  key: keyField(sql`artifact.key`),
  flow_run_id: { kind: 'id', column: sql`artifact.flow_run_id` },
  task_run_id: { kind: 'id', column: sql`artifact.task_run_id` },
  type: { kind: 'text', column: sql`artifact.type` },
};

/** The filterable fields for the latest artifact of each key. */
export const collectionFields: FilterFields = {
  latest_id: { kind: 'id', column: sql`artifact_collection.latest_id` },
  key: keyField(sql`artifact_collection.key`),
  flow_run_id: { kind: 'id', column: sql`artifact_collection.flow_run_id` },
  task_run_id: { kind: 'id', column: sql`artifact_collection.task_run_id` },
  type: { kind: 'text', column: sql`artifact_collection.type` },
};

/** The operators of text, and `exists_`, which tests for a key. */
function keyField(column: Expression): FieldCompiler {
  return (criteria, dialect) => {
    const { exists_ } = criteria;
    const conditions = [compileField(criteria, { kind: 'text', column }, dialect)];
    if (typeof exists_ === 'boolean') {
      conditions.push(exists_ ? sql<boolean>`${column} is not null` : sql<boolean>`${column} is null`);
    }
    return combine(conditions, 'and_');
  };
}
