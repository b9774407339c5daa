/** Inserts many block types and schemas per statement: every new workspace gets them. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';

interface NewCollectedType {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly logo_url: string | null;
  readonly documentation_url: string | null;
  readonly description: string | null;
  readonly code_example: string | null;
  /** 1 or 0, because the rows of a parameter cannot contain booleans. */
  readonly is_protected: number;
}

const typeColumns = {
  id: 'uuid',
  name: 'text',
  slug: 'text',
  logo_url: 'text',
  documentation_url: 'text',
  description: 'text',
  code_example: 'text',
  is_protected: 'integer',
} as const;

const insertTypes = statement<{ now: Timestamp; types: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into block_type ("workspace", id, created, updated, name, slug, logo_url, documentation_url, description,
        code_example, is_protected)
      select ${dialect.typed(given.workspace, 'integer')}, id, ${dialect.typed(given.now, 'timestamp')},
        ${dialect.typed(given.now, 'timestamp')}, name, slug, logo_url, documentation_url, description, code_example,
        is_protected = 1
      from ${dialect.rowsFrom(given.types, typeColumns)} item where true on conflict ("workspace", slug) do nothing`,
);

const restoreTypes = statement<{ types: string }, unknown>(
  (_query, given, dialect) =>
    sql`update block_type set is_protected = true, logo_url = item.logo_url, documentation_url = item.documentation_url,
        description = item.description, code_example = item.code_example
      from ${dialect.rowsFrom(given.types, typeColumns)} item
      where block_type."workspace" = ${given.workspace} and block_type.slug = item.slug
        and (block_type.is_protected = false or block_type.logo_url is distinct from item.logo_url
          or block_type.documentation_url is distinct from item.documentation_url
          or block_type.description is distinct from item.description
          or block_type.code_example is distinct from item.code_example)`,
);

const insertSchemas = statement<{ schemas: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into block_schema ("workspace", id, created, updated, checksum, fields, capabilities, version,
        block_type_id)
      select block_type.workspace, item.id, item.created, item.created, checksum, fields, capabilities, version,
        block_type.id
      from ${dialect.rowsFrom(given.schemas, {
        id: 'uuid',
        created: 'timestamp',
        type: 'text',
        checksum: 'text',
        fields: 'text',
        capabilities: 'text',
        version: 'text',
      })} item
      ${dialect.joinInOrder} block_type on block_type."workspace" = ${given.workspace} and block_type.slug = item.type
      where true on conflict ("workspace", checksum, version) do nothing`,
);

const insertReferences = statement<{ references: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into block_schema_reference ("workspace", parent_block_schema_id, name, position,
        reference_block_schema_id)
      select parent.workspace, parent.id, item.name, item.position, nested.id
      from ${dialect.rowsFrom(given.references, {
        parent: 'uuid',
        name: 'text',
        position: 'integer',
        checksum: 'text',
        version: 'text',
      })} item
      ${dialect.joinInOrder} block_schema parent on parent."workspace" = ${given.workspace} and parent.id = item.parent
      ${dialect.joinInOrder} block_schema nested on nested.workspace = parent.workspace and nested.checksum = item.checksum
        and nested.version = item.version`,
);

/** Skips types whose slug is taken. */
export async function insertBlockTypes(tx: Tx, now: Timestamp, types: readonly NewCollectedType[]): Promise<void> {
  await tx.run(insertTypes, { now, types: JSON.stringify(types) });
}

/**
 * Restores the texts of protected types that were changed. As on the reference, `updated` keeps the time of that
 * change.
 */
export async function restoreProtectedTypes(tx: Tx, types: readonly NewCollectedType[]): Promise<void> {
  // SQLite parses the list again for each stored type, so it contains only protected types.
  await tx.run(restoreTypes, { types: JSON.stringify(types.filter((type) => type.is_protected === 1)) });
}

interface NewCollectedSchema {
  readonly id: string;
  readonly created: Timestamp;
  /** The slug of the type. */
  readonly type: string;
  readonly checksum: string;
  readonly fields: JsonText;
  readonly capabilities: JsonText;
  readonly version: string;
}

/** Skips schemas whose checksum already has this version, and schemas of an unknown type. */
export async function insertCollectedSchemas(tx: Tx, schemas: readonly NewCollectedSchema[]): Promise<void> {
  await tx.run(insertSchemas, { schemas: JSON.stringify(schemas) });
}

interface NewCollectedReference {
  readonly parent: string;
  readonly name: string;
  readonly position: number;
  readonly checksum: string;
  readonly version: string;
}

/** Skips references of a skipped schema. */
export async function insertCollectedReferences(tx: Tx, references: readonly NewCollectedReference[]): Promise<void> {
  await tx.run(insertReferences, { references: JSON.stringify(references) });
}
