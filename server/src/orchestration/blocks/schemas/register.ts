/** Stores block schemas with the schemas of the blocks nested in them. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { Conflict, Unprocessable } from '../../../errors.ts';
import { newId } from '../../../values/id.ts';
import { isJsonObject, type JsonText, jsonTextOf } from '../../../values/json.ts';
import { addMicroseconds } from '../../../values/time.ts';
import { blockTypes } from '../types/queries.ts';
import { blockSchemaChecksum } from './checksum.ts';
import { isBlockDefinition, type JsonFields, withPlainDefinitions } from './definitions.ts';
import { type BlockSchemaRow, blockSchemas, findBlockSchemaByChecksum, schemaReferences } from './queries.ts';

interface NewBlockSchema {
  /** The id; a new one by default. */
  readonly id?: string;
  readonly fields: JsonFields;
  readonly block_type_id: string;
  readonly capabilities: JsonText;
  readonly version: string;
}

/**
 * Stores the schema, or finds the one with the same checksum and version. Nested blocks are found by their checksum, or
 * registered from `definitions`. Throws Conflict when a nested block is unknown, Unprocessable when the fields name
 * nested blocks in an unreadable way.
 */
export function registerBlockSchema(
  context: Pick<Context, 'now'>,
  tx: Tx,
  schema: NewBlockSchema,
): Promise<{ schema: BlockSchemaRow; isNew: boolean }> {
  return new Registration(context, tx).register(schema);
}

interface Reference {
  readonly name: string;
  readonly slug: string;
  readonly checksum: string;
}

function referencesIn(fields: JsonFields): Reference[] {
  const given = fields['block_schema_references'];
  if (given === undefined || given === null) return [];
  if (!isJsonObject(given)) throw new Unprocessable('block_schema_references must be an object.');
  return Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((reference: unknown) => {
      const { block_type_slug: slug, block_schema_checksum: checksum } = isJsonObject(reference) ? reference : {};
      if (typeof slug !== 'string' || typeof checksum !== 'string') {
        throw new Unprocessable(
          `block_schema_references of the field '${name}' must have a block_type_slug and a block_schema_checksum.`,
        );
      }
      return { name, slug, checksum };
    }),
  );
}

/**
 * One registration. Schemas of nested blocks count as later than the schemas around them, in the order of the fields,
 * because lists are sorted by age.
 */
class Registration {
  readonly #context: Pick<Context, 'now'>;
  readonly #tx: Tx;
  #inserted = 0;

  constructor(context: Pick<Context, 'now'>, tx: Tx) {
    this.#context = context;
    this.#tx = tx;
  }

  async register(schema: NewBlockSchema): Promise<{ schema: BlockSchemaRow; isNew: boolean }> {
    const checksum = blockSchemaChecksum(schema.fields);
    const { block_schema_references: _, ...fields } = withPlainDefinitions(schema.fields);
    const created = addMicroseconds(this.#context.now, this.#inserted);
    const inserted = await blockSchemas.insertUnlessThere(this.#tx, {
      id: schema.id ?? newId(),
      created,
      updated: created,
      checksum,
      fields: jsonTextOf(fields),
      capabilities: schema.capabilities,
      version: schema.version,
      block_type_id: schema.block_type_id,
    });
    if (!inserted) {
      const stored = await findBlockSchemaByChecksum(this.#tx, checksum, schema.version);
      if (!stored) throw new Error('A block schema with this checksum vanished while it was created.');
      return { schema: stored, isNew: false };
    }
    this.#inserted++;
    for (const [position, reference] of referencesIn(schema.fields).entries()) {
      await schemaReferences.insert(this.#tx, {
        parent_block_schema_id: inserted.id,
        name: reference.name,
        position,
        reference_block_schema_id: await this.#nestedSchema(schema, reference),
      });
    }
    return { schema: inserted, isNew: true };
  }

  /** The id of the schema of a nested block. */
  async #nestedSchema(parent: NewBlockSchema, { slug, checksum }: Reference): Promise<string> {
    const type = await blockTypes.first(this.#tx, { slug });
    if (!type) {
      throw new Conflict(
        `Cannot create block schema because block type '${slug}' was not found.Did you forget to register the block type?`,
      );
    }
    const stored = await findBlockSchemaByChecksum(this.#tx, checksum);
    if (stored) return stored.id;
    const definitions = parent.fields['definitions'];
    const definition = isJsonObject(definitions)
      ? Object.values(definitions).find((value) => isBlockDefinition(value) && value['block_type_slug'] === slug)
      : undefined;
    if (!isJsonObject(definition)) {
      throw new Conflict(
        `Cannot create block schema because the schema ${checksum} of block type '${slug}' was not found.`,
      );
    }
    const fields = { ...definition, definitions };
    const known = await findBlockSchemaByChecksum(this.#tx, blockSchemaChecksum(fields));
    if (known) return known.id;
    const { schema } = await this.register({
      fields,
      block_type_id: type.id,
      capabilities: '[]' as JsonText,
      version: parent.version,
    });
    return schema.id;
  }
}
