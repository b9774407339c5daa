import { readFileSync } from 'node:fs';
import { found } from '../../errors.ts';
import { SERVER_FOLDER } from '../../folders.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { JsonObject } from '../../schema/kinds.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../values/json.ts';
import { readBlockCollection } from '../blocks/types/block-collection.ts';

const WORKER_METADATA = 'src/orchestration/collections/aggregate-worker-metadata.json';

/**
 * The known integrations, as views that clients and interfaces read. All of it is part of the server, so the views work
 * offline. `aggregate-worker-metadata.json` contains the unchanged answer of a server of version 3.9.1, under the
 * Apache License 2.0 of its authors, Prefect Technologies, Inc.
 */
const views: Readonly<Record<string, () => JsonText>> = {
  'aggregate-worker-metadata': once(() =>
    jsonTextOf(parseJson(readFileSync(new URL(WORKER_METADATA, SERVER_FOLDER), 'utf8'))),
  ),
  'aggregate-block-metadata': once(blockMetadata),
  // The reference fetches these from a registry on the internet; clients do not request them.
  'aggregate-flow-metadata': () => '{}' as JsonText,
  'demo-flows': () => '{}' as JsonText,
};

const { get } = routesOf('Collections', 'settings');

export const collectionRoutes: readonly Route[] = [
  get('/collections/views/{view}', 'read_view_content_collections_views__view__get', {
    summary: 'Read a view of the collection',
    description:
      'A list of known blocks, flows or workers for user interfaces. It comes from this server, not from the network. 404 for an unknown view.',
    answers: JsonObject(),
    handler: ({ path }) => {
      const view = Object.hasOwn(views, path.view) ? views[path.view] : undefined;
      return found(view, `View ${path.view} not found in registry`)();
    },
  }),
  // Clients of a hosted server request the view of workers from this route.
  get('/collections/work_pool_types', 'read_work_pool_types_collections_work_pool_types_get', {
    summary: 'List the types of work pools',
    description: 'Every known type of work pool with its default job template.',
    answers: JsonObject(),
    handler: () => views['aggregate-worker-metadata']?.(),
  }),
];

/** The block types of each package with their latest schemas. */
function blockMetadata(): JsonText {
  const { types, schemas } = readBlockCollection();
  const packages: Record<string, { block_types: Record<string, unknown> }> = {};
  for (const { package: name, is_protected: _, ...type } of types) {
    const newest = schemas.findLast((schema) => schema.type === type.slug && schema.version !== 'non-versioned');
    if (!newest) continue;
    const { checksum, fields, capabilities, version } = newest;
    const entry = { ...type, block_schema: { checksum, fields, capabilities, version } };
    packages[name] ??= { block_types: {} };
    packages[name].block_types[type.slug] = entry;
  }
  return jsonTextOf(packages);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
