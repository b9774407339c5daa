import { type FilterShape, flag, idCriterion, idsOf, nameCriterion, oneOf, pieceOf } from '../generate/filters.ts';
import { by, byId, byName, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject, Verbatim } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const CAPABILITIES = ['read-path', 'write-path', 'notify', 'run-infrastructure'] as const;
const VERSIONS = ['non-versioned', '1.0', '2.0'] as const;
/** Block types that every server has. */
const BUILT_IN = ['secret', 'slack-webhook', 'json', 'webhook'] as const;

const typeFilter: FilterShape = {
  combines: false,
  criteria: {
    name: { operators: { like_: pieceOf('block_type') } },
    slug: { operators: { any_: (world) => [world.attribute('block_type', 'slug'), world.random.pick(BUILT_IN)] } },
  },
};
const schemaFilter: FilterShape = {
  combines: true,
  criteria: {
    block_type_id: { operators: { any_: idsOf('block_type') } },
    block_capabilities: { operators: { all_: oneOf(...CAPABILITIES) } },
    id: idCriterion('block_schema'),
    version: { operators: { any_: oneOf(...VERSIONS) } },
  },
};
const documentFilter: FilterShape = {
  combines: true,
  criteria: {
    id: idCriterion('block_document'),
    is_anonymous: { operators: { eq_: flag } },
    block_type_id: { operators: { any_: idsOf('block_type') } },
    name: nameCriterion('block_document'),
  },
};

const typeLists: ListRoutes = {
  base: '/block_types',
  routes: ['filter'],
  own: 'block_types',
  filters: { block_types: typeFilter, block_schemas: schemaFilter },
  sorts: {},
  fixed: byName,
  weight: 2,
};
const schemaLists: ListRoutes = {
  base: '/block_schemas',
  routes: ['filter'],
  own: 'block_schemas',
  filters: { block_schemas: schemaFilter },
  sorts: {},
  fixed: by('created'),
  weight: 2,
};
const documentLists: ListRoutes = {
  base: '/block_documents',
  routes: ['filter', 'count'],
  own: 'block_documents',
  filters: { block_documents: documentFilter, block_types: typeFilter, block_schemas: schemaFilter },
  sorts: { NAME_ASC: byName, NAME_DESC: byName, BLOCK_TYPE_AND_NAME_ASC: byId },
  weight: 3,
};

/** The parts of blocks. */
export const blockTypes: Resource = {
  name: 'block types and schemas',
  *populate(world) {
    for (let i = 0; i < 6; i += 1) yield createType(world);
    for (let i = 0; i < 12; i += 1) yield createSchema(world);
    for (const slug of BUILT_IN) {
      yield http('GET /block_types/slug/{slug}', path`/block_types/slug/${slug}`, {
        learn: (bodies) => void world.add('block_type', bodies, { builtIn: true }),
      });
    }
  },
  sweep: (world) => [...listSweep(world, typeLists), ...listSweep(world, schemaLists)],
  actions: [
    request('POST /block_types/', 1, (world) => maybeSpoiled(world, createType(world))),
    request('POST /block_types/', 0.2, (world) => {
      const body = { name: world.name('Again'), slug: world.attribute('block_type', 'slug') };
      return http('POST /block_types/', path`/block_types/`, { note: 'slug that exists', body });
    }),
    request('GET /block_types/{id}', 1, (world) => readType(world.id('block_type'))),
    request('GET /block_types/slug/{slug}', 1, (world) =>
      http('GET /block_types/slug/{slug}', path`/block_types/slug/${slugToRead(world)}`),
    ),
    request('POST /block_types/install_system_block_types', 0.05, () =>
      http('POST /block_types/install_system_block_types', path`/block_types/install_system_block_types`, { body: {} }),
    ),
    {
      routes: ['PATCH /block_types/{id}', 'GET /block_types/{id}'],
      weight: 0.8,
      *steps(world) {
        const id = world.id('block_type');
        const step = http('PATCH /block_types/{id}', path`/block_types/${id}`, { body: texts(world) });
        yield maybeSpoiled(world, step);
        yield readType(id);
      },
    },
    {
      routes: ['DELETE /block_types/{id}', 'GET /block_types/{id}', 'POST /block_documents/count'],
      weight: 0.15,
      *steps(world) {
        const handle = world.some('block_type');
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /block_types/{id}', path`/block_types/${id}`, {
          learn: () => {
            handle?.die();
            for (const kind of ['block_schema', 'block_document']) {
              for (const one of world.alive(kind)) if (one.facts.type === handle?.facts.slug) one.die();
            }
          },
        });
        yield readType(id);
        yield http('POST /block_documents/count', path`/block_documents/count`, { body: {} });
      },
    },
    request('POST /block_schemas/', 1, (world) => maybeSpoiled(world, createSchema(world))),
    request('GET /block_schemas/{id}', 1, (world) =>
      http('GET /block_schemas/{id}', path`/block_schemas/${world.id('block_schema')}`),
    ),
    request('GET /block_schemas/checksum/{checksum}', 0.7, (world) => {
      const checksum = world.random.chance(0.1) ? 'sha256:none' : world.attribute('block_schema', 'checksum');
      return http('GET /block_schemas/checksum/{checksum}', path`/block_schemas/checksum/${checksum}`, {
        query: world.optional({ version: () => world.random.pick(VERSIONS) }),
      });
    }),
    {
      routes: ['DELETE /block_schemas/{id}', 'GET /block_schemas/{id}'],
      weight: 0.15,
      *steps(world) {
        const used = new Set(world.alive('block_document').map((one) => one.facts.schema));
        const handle = world.some('block_schema', (one) => !used.has(one.facts.key));
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /block_schemas/{id}', path`/block_schemas/${id}`, { learn: () => handle?.die() });
        yield http('GET /block_schemas/{id}', path`/block_schemas/${id}`);
      },
    },
    request('GET /block_capabilities/', 0.2, () =>
      http('GET /block_capabilities/', path`/block_capabilities/`, { rows: {} }),
    ),
    ...listActions(typeLists),
    ...listActions(schemaLists),
  ],
};

/** The stored values. */
export const blockDocuments: Resource = {
  name: 'block documents',
  *populate(world) {
    for (let i = 0; i < 15; i += 1) yield createDocument(world);
  },
  sweep: (world) => listSweep(world, documentLists),
  actions: [
    request('POST /block_documents/', 1.5, (world) => maybeSpoiled(world, createDocument(world))),
    request('GET /block_documents/{id}', 1.5, (world) => readDocument(world, world.id('block_document'))),
    request('GET /block_types/slug/{slug}/block_documents', 0.8, (world) =>
      http(
        'GET /block_types/slug/{slug}/block_documents',
        path`/block_types/slug/${slugToRead(world)}/block_documents`,
        {
          query: secrets(world),
          rows: {},
        },
      ),
    ),
    request('GET /block_types/slug/{slug}/block_documents/name/{block_document_name}', 1, (world) => {
      const handle = world.some('block_document', (one) => typeof one.facts.name === 'string');
      const slug = handle?.facts.type && world.random.chance(0.9) ? handle.facts.type : slugToRead(world);
      const name = handle ? new Ref(handle, 'name') : 'none';
      return http(
        'GET /block_types/slug/{slug}/block_documents/name/{block_document_name}',
        path`/block_types/slug/${slug}/block_documents/name/${name}`,
        { query: secrets(world) },
      );
    }),
    {
      routes: ['PATCH /block_documents/{id}', 'GET /block_documents/{id}'],
      weight: 1.2,
      *steps(world) {
        const id = world.id('block_document');
        const body = {
          ...world.optional({ data: () => data(world) }, 0.9),
          ...world.optional({
            merge_existing_data: () => world.random.chance(0.5),
            block_schema_id: () => world.id('block_schema'),
          }),
        };
        yield maybeSpoiled(world, http('PATCH /block_documents/{id}', path`/block_documents/${id}`, { body }));
        yield readDocument(world, id);
      },
    },
    {
      routes: ['DELETE /block_documents/{id}', 'GET /block_documents/{id}'],
      weight: 0.4,
      *steps(world) {
        const handle = world.some('block_document');
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /block_documents/{id}', path`/block_documents/${id}`, { learn: () => handle?.die() });
        yield readDocument(world, id);
      },
    },
    {
      routes: ['PUT /admin/storage', 'GET /admin/storage', 'DELETE /admin/storage'],
      weight: 0.5,
      *steps(world) {
        const body = { default_result_storage_block_id: world.id('block_document') };
        yield maybeSpoiled(world, http('PUT /admin/storage', path`/admin/storage`, { body }));
        yield http('GET /admin/storage', path`/admin/storage`);
        if (world.random.chance(0.5)) {
          yield http('DELETE /admin/storage', path`/admin/storage`);
          yield http('GET /admin/storage', path`/admin/storage`);
        }
      },
    },
    ...listActions(documentLists),
  ],
};

function texts(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      logo_url: () => random.pick(['https://example.com/logo.png', null, 'no url']),
      documentation_url: () => random.pick(['https://example.com/docs', null, 'http://127.0.0.1:1/a b']),
      description: () => random.pick(['What it is ☂', '', null]),
      code_example: () => random.pick(['```python\nx = 1\n```', null]),
    },
    0.4,
  );
}

function createType(world: World): HttpStep {
  const name = world.name('Kind');
  const slug = world.random.chance(0.92) ? name.toLowerCase() : world.random.pick(['Bad Slug', '', 'under_score']);
  return http('POST /block_types/', path`/block_types/`, {
    body: { name: world.random.chance(0.95) ? name : 'Prefect Kind', slug, ...texts(world) },
    learn: (bodies) => void world.add('block_type', bodies),
  });
}

function readType(id: Symbolic): HttpStep {
  return http('GET /block_types/{id}', path`/block_types/${id}`);
}

function slugToRead(world: World): Symbolic {
  return world.random.chance(0.15)
    ? world.random.pick(['none', 'Bad Slug', ...BUILT_IN])
    : world.attribute('block_type', 'slug');
}

function createSchema(world: World): HttpStep {
  const { random } = world;
  const type = world.some('block_type', (one) => one.facts.builtIn !== true);
  const key = world.name('schema');
  const shape: SymbolicObject = {
    title: random.pick(['Kind', 'Other']),
    type: 'object',
    properties: {
      url: { title: 'URL', type: 'string' },
      ...world.optional(
        {
          password: () => ({ title: 'Password', type: 'string', writeOnly: true, format: 'password' }),
          options: () => ({ title: 'Options', type: 'object', default: { a: 1.5, b: 12 } }),
        },
        0.6,
      ),
    },
    ...world.optional({ required: () => ['url'], secret_fields: () => ['password'] }, 0.6),
    block_type_slug: type?.facts.slug ?? 'none',
    block_schema_references: {},
  };
  const body = {
    fields: shape,
    block_type_id: type ? new Ref(type) : world.random.uuid(),
    ...world.optional({ capabilities: () => random.sample(CAPABILITIES, random.int(0, 2)) }, 0.6),
    ...world.optional({ version: () => random.pick(VERSIONS) }, 0.4),
  };
  return http('POST /block_schemas/', path`/block_schemas/`, {
    body,
    learn: (bodies) => void world.add('block_schema', bodies, { type: type?.facts.slug ?? null, key }),
  });
}

function createDocument(world: World): HttpStep {
  const { random } = world;
  const schema = world.some('block_schema', (one) => typeof one.facts.type === 'string');
  const isAnonymous = random.chance(0.15);
  const body: SymbolicObject = {
    name: isAnonymous ? null : random.chance(0.93) ? world.name('doc') : random.pick(['Bad Name', '', null, 'a/b']),
    data: data(world),
    block_schema_id: schema ? new Ref(schema) : random.uuid(),
    block_type_id: schema && random.chance(0.97) ? new Ref(schema, 'block_type_id') : world.id('block_type'),
    ...(isAnonymous ? { is_anonymous: true } : {}),
  };
  return http('POST /block_documents/', path`/block_documents/`, {
    body,
    learn: (bodies) =>
      void world.add('block_document', bodies, {
        type: schema?.facts.type ?? null,
        schema: schema?.facts.key ?? null,
      }),
  });
}

function readDocument(world: World, id: Symbolic): HttpStep {
  return http('GET /block_documents/{id}', path`/block_documents/${id}`, { query: secrets(world) });
}

function secrets(world: World): SymbolicObject {
  return world.optional({ include_secrets: () => world.random.pick(['true', 'false', 'maybe']) }, 0.4);
}

/** Documents may name others, by `$ref`. */
function data(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      url: () => random.pick<Symbolic>(['https://example.com', '', 5, null]),
      password: () => random.pick(['secret', '********', '']),
      options: () => random.pick<Symbolic>([{ a: 1 }, {}, { deep: { er: [1, new Verbatim('2.0')] } }]),
      nested: () => ({ $ref: { block_document_id: world.id('block_document') } }),
    },
    0.5,
  );
}
