import {
  Enum,
  givenFieldsOnly,
  JsonObject,
  JsonObjectOf,
  Maybe,
  Parts,
  prepare,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { isJsonObject } from '../../../values/json.ts';
import { Name, stamps } from '../../filters/field-schema.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { BlockDocumentFilter, BlockSchemaFilter, BlockTypeFilter } from '../block-filters.ts';
import { BlockSchema } from '../schemas/schema.ts';
import { BlockType } from '../types/schema.ts';

export const BlockDocument = Shape(
  'BlockDocument',
  {
    ...stamps,
    name: Maybe(Name),
    data: Type.Optional(JsonObject()),
    block_schema_id: Uuid(),
    block_schema: Maybe(BlockSchema),
    block_type_id: Uuid(),
    block_type_name: Maybe(Type.String()),
    block_type: Maybe(BlockType),
    block_document_references: Type.Optional(JsonObjectOf(JsonObject())),
    is_anonymous: withDefault(Type.Boolean(), false),
  },
  'ignore',
);
export type BlockDocument = Static<typeof BlockDocument>;

const DocumentName = refine(Name, (name) =>
  /^[a-z0-9-]*$/.test(name)
    ? undefined
    : 'Block document name must only contain lowercase letters, numbers, and dashes.',
);

export const BlockDocumentCreate = prepare(
  Shape('BlockDocumentCreate', {
    name: Maybe(DocumentName),
    data: Type.Optional(JsonObject()),
    block_schema_id: Uuid(),
    block_type_id: Uuid(),
    is_anonymous: withDefault(Type.Boolean(), false),
  }),
  (input) =>
    isJsonObject(input) && !input['is_anonymous'] && !input['name']
      ? { fault: 'Names must be provided for block documents.' }
      : { value: input },
);
export type BlockDocumentCreate = Static<typeof BlockDocumentCreate>;

/** `merge_existing_data` is true unless it is given. */
export const BlockDocumentUpdate = givenFieldsOnly(
  Shape('BlockDocumentUpdate', {
    block_schema_id: Maybe(Uuid()),
    data: Type.Optional(JsonObject()),
    merge_existing_data: Type.Optional(withDefault(Type.Boolean(), true)),
  }),
);
export type BlockDocumentUpdate = Static<typeof BlockDocumentUpdate>;

export const BlockDocumentSort = Enum('BlockDocumentSort', ['NAME_DESC', 'NAME_ASC', 'BLOCK_TYPE_AND_NAME_ASC']);
export type BlockDocumentSort = Static<typeof BlockDocumentSort>;

const includeSecrets = withDefault(Type.Boolean(), false);

export const secretsQuery = Type.Object({ include_secrets: includeSecrets });

const filters = {
  block_documents: Maybe(BlockDocumentFilter),
  block_types: Maybe(BlockTypeFilter),
  block_schemas: Maybe(BlockSchemaFilter),
};

/** Bodies by the last segment of their route. */
export const blockDocumentBodies = {
  filter: Parts(
    {
      ...filters,
      include_secrets: includeSecrets,
      sort: withDefault(Maybe(BlockDocumentSort), 'NAME_ASC'),
      offset,
      limit,
    },
    'Body_read_block_documents_block_documents_filter_post',
  ),
  count: Parts(filters, 'Body_count_block_documents_block_documents_count_post'),
};
