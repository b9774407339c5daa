/**
 * The block types and schemas that every workspace has from its start: the built-in ones and those of well-known
 * integrations. An interface can list them before any client has registered one. `block-collection.json` contains the
 * answers of a server of version 3.9.1 about them, including the checksums that clients look up. It is unchanged, under
 * the Apache License 2.0 of its authors, Prefect Technologies, Inc.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from '../../../context/context.ts';
import { findConfiguration, putConfiguration } from '../../../database/opening/configuration.ts';
import { SERVER_FOLDER } from '../../../folders.ts';
import { newId } from '../../../values/id.ts';
import { isJsonObject, type JsonText, jsonTextOf, parseJson } from '../../../values/json.ts';
import { addMicroseconds } from '../../../values/time.ts';
import {
  insertBlockTypes,
  insertCollectedReferences,
  insertCollectedSchemas,
  restoreProtectedTypes,
} from './collection-queries.ts';

const FILE = new URL('src/orchestration/blocks/types/block-collection.json', SERVER_FOLDER);
/** The version of the collection in the workspace. A start with the same version makes no further reads or writes. */
const STAMP_KEY = 'block-collection';

/** A type without the columns that storing it adds. */
interface CollectedType {
  readonly slug: string;
  readonly name: string;
  /** The Python package that provides the block. */
  readonly package: string;
  readonly logo_url: string | null;
  readonly documentation_url: string | null;
  readonly description: string | null;
  readonly code_example: string | null;
  readonly is_protected: boolean;
}

/** `fields` are the result of `parseJson`. References name schemas of the collection by checksum and version. */
interface CollectedSchema {
  readonly type: string;
  readonly version: string;
  readonly checksum: string;
  readonly capabilities: readonly string[];
  readonly fields: unknown;
  readonly references: readonly { readonly name: string; readonly checksum: string; readonly version: string }[];
}

interface BlockCollection {
  readonly types: readonly CollectedType[];
  /** Ordered by age, by which lists are sorted. */
  readonly schemas: readonly CollectedSchema[];
}

export function readBlockCollection(): BlockCollection {
  const collection = parseJson(readFileSync(FILE, 'utf8'));
  if (!isJsonObject(collection)) throw new Error('The block collection is not an object.');
  return collection as unknown as BlockCollection;
}

/** The rows of a workspace, for a request or for a command of an operator. */
type WorkspaceAccess = Pick<Context, 'db' | 'now' | 'transaction'>;

/**
 * Adds the missing parts to the workspace, once per version of the collection. Deleted types stay deleted, and types
 * that a client registered are not changed, except for the texts of protected types. Takes under a millisecond when
 * nothing is new.
 */
export async function installBlockCollection(context: WorkspaceAccess): Promise<void> {
  const stamp = jsonTextOf(createHash('sha256').update(readFileSync(FILE)).digest('hex'));
  if ((await findConfiguration(context.db, STAMP_KEY)) === stamp) return;
  await installCollection(context, readBlockCollection(), stamp);
}

/**
 * Adds the missing block types that clients use without registering them, with their schemas, and restores their texts.
 */
export async function installSystemBlockTypes(context: WorkspaceAccess): Promise<void> {
  const { types, schemas } = readBlockCollection();
  const system = types.filter((type) => type.is_protected);
  const slugs = new Set(system.map(({ slug }) => slug));
  await installCollection(context, { types: system, schemas: schemas.filter(({ type }) => slugs.has(type)) });
}

/** Adds the missing parts of a collection to the workspace, and records its version. */
export function installCollection(
  context: WorkspaceAccess,
  { types, schemas }: BlockCollection,
  stamp?: JsonText,
): Promise<void> {
  const { now } = context;
  const stampedTypes = types.map((type) => ({ ...type, id: newId(), is_protected: Number(type.is_protected) }));
  const stampedSchemas = schemas.map((schema, index) => {
    const created = addMicroseconds(now, index);
    return {
      ...schema,
      id: newId(),
      created,
      fields: jsonTextOf(schema.fields),
      capabilities: jsonTextOf(schema.capabilities),
    };
  });
  const references = stampedSchemas.flatMap(({ id, references: held }) =>
    held.map((reference, position) => ({ ...reference, parent: id, position })),
  );
  return context.transaction(async (tx) => {
    await insertBlockTypes(tx, now, stampedTypes);
    await restoreProtectedTypes(tx, stampedTypes);
    await insertCollectedSchemas(tx, stampedSchemas);
    await insertCollectedReferences(tx, references);
    if (stamp !== undefined) await putConfiguration(tx, STAMP_KEY, stamp);
  });
}
