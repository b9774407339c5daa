/** Queries and changes of the pages of blocks. Secrets are masked, except in the answer that a person requests. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import type { FormValues, JsonSchema } from '../components/schema-form/form-schema.ts';
import type { BlocksSearch } from './blocks-search.ts';

export type BlockDocument = components['schemas']['BlockDocument'];
export type BlockType = components['schemas']['BlockType'];
export type BlockUse = components['schemas']['BlockUse'];

/** Replaces a secret; when it is sent back, the stored secret stays. */
export const HIDDEN = '********';

const PAGE_SIZE = 200;

export const blocksQuery = ({ name, type }: BlocksSearch) =>
  read.pages(
    '/block_documents/filter',
    (offset) => ({
      body: {
        block_documents: {
          operator: 'and_' as const,
          is_anonymous: { eq_: false },
          ...(name ? { name: { like_: name } } : {}),
        },
        ...(type ? { block_types: { slug: { any_: [type] } } } : {}),
        include_secrets: false,
        sort: 'BLOCK_TYPE_AND_NAME_ASC' as const,
        offset,
        limit: PAGE_SIZE,
      },
    }),
    {
      watches: ['block_document'],
      initialPageParam: 0,
      placeholderData: keepPreviousData,
      getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? null : pages.length * PAGE_SIZE),
    },
  );

export const blockQuery = (id: string) =>
  read.one(
    '/block_documents/{id}',
    { params: { path: { id }, query: { include_secrets: false } } },
    { watches: ['block_document'] },
  );

export const blockUsesQuery = (id: string) =>
  read.one('/views/block_documents/{id}/uses', { params: { path: { id } } });

export const blockTypesQuery = queryOptions({
  queryKey: ['/block_types/filter'],
  queryFn: async ({ signal }) => {
    const types: BlockType[] = [];
    for (;;) {
      const page = await answered(
        api.POST('/block_types/filter', { signal, body: { offset: types.length, limit: PAGE_SIZE } }),
      );
      types.push(...page);
      if (page.length < PAGE_SIZE) return types;
    }
  },
});

/** A type with the latest of its schemas. */
export function blockTypeQuery(slug: string) {
  return queryOptions({
    queryKey: ['/block_types/slug/{slug}', slug],
    queryFn: async ({ signal }) => {
      const type = await answered(api.GET('/block_types/slug/{slug}', { signal, params: { path: { slug } } }));
      const [schema] = await answered(
        api.POST('/block_schemas/filter', {
          signal,
          body: { block_schemas: { operator: 'and_', block_type_id: { any_: [type.id] } }, limit: 1, offset: 0 },
        }),
      );
      return { type, schema };
    },
  });
}

/** The values with their secrets. The server records the reader; the answer is not stored. */
export async function readSecrets(id: string): Promise<FormValues> {
  const { data = {} } = await answered(
    api.GET('/block_documents/{id}', { params: { path: { id }, query: { include_secrets: true } } }),
  );
  return data;
}

/** Returns the id of the new block. */
export async function createBlock(name: string, type: string, schema: string, data: FormValues): Promise<string> {
  const { id } = await answered(
    api.POST('/block_documents/', {
      body: { name, block_type_id: type, block_schema_id: schema, data, is_anonymous: false },
    }),
  );
  return id;
}

export const updateBlock = (id: string, data: FormValues) =>
  answered(
    api.PATCH('/block_documents/{id}', { params: { path: { id } }, body: { data, merge_existing_data: false } }),
  );

export const deleteBlock = (id: string) => answered(api.DELETE('/block_documents/{id}', { params: { path: { id } } }));

/** The values for a form: a nested block is a reference to its document. */
export function valuesOf({ data = {}, block_document_references: references = {} }: BlockDocument): FormValues {
  const nested = Object.entries(references).map(([name, reference]) => {
    const { block_document: document } = reference as { block_document?: { id?: string } };
    return [name, { $ref: { block_document_id: document?.id } }] as const;
  });
  return { ...data, ...Object.fromEntries(nested) };
}

/**
 * The schema for a form. A secret that may be text or JSON is a field for secret text; other values are edited in the
 * JSON view.
 */
export function schemaOf(fields: unknown): JsonSchema {
  // With its slug, the schema would be drawn as a choice among the blocks of its type.
  const { block_type_slug: _, ...schema } = fields as JsonSchema & {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
  };
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    if (property['format'] !== 'password' || property['anyOf'] === undefined) return [name, property] as const;
    const { anyOf: _choices, ...rest } = property;
    return [name, { ...rest, type: 'string' }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The Python code in the example of a type, with the name of the block filled in. */
export function exampleOf(example: string | null | undefined, name: string): string | undefined {
  const parts = [...(example ?? '').matchAll(/```(?:python)?\n([\s\S]*?)```/g)].map(([, code = '']) => code.trim());
  return parts.length > 0 ? parts.join('\n\n').replaceAll('BLOCK_NAME', name) : undefined;
}
