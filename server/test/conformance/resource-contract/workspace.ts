/** The resources of a workspace, below `/api`. Sentences and shapes are those of the Prefect server 3.9.1 where it has the route. */
import { detail, exceptionMessage, nothing, type Resource, resource } from './resource.ts';

const dataConflict = detail(
  'Data integrity conflict. This usually means a unique or foreign key constraint was violated. See server logs for details.',
  409,
);

const trigger = { type: 'event', posture: 'Reactive', expect: ['x'], threshold: 1, within: 0 };
const template = '{"event": "x", "resource": {"prefect.resource.id": "x"}}';

export const workspaceResources: readonly Resource[] = [
  resource('flow', ['/flows/{id}', '/flows/name/{name}', '/views/flows/{id}'], detail('Flow not found'), {
    changes: {
      create: 'POST /flows/',
      body: (name) => ({ name }),
      updates: [['PATCH', { tags: ['new'] }]],
      recorded: 'prefect.flow',
    },
  }),
  resource(
    'flow run',
    ['/flow_runs/{id}', '/views/flow_runs/{id}', '/views/flow_runs/{id}/comparison/{other_id}'],
    detail('Flow run not found'),
    {
      otherwise: {
        'POST /flow_runs/{id}/set_state': exceptionMessage('Flow run with id {absent} not found'),
        'PATCH /flow_runs/{id}/labels': exceptionMessage('Flow run with id {absent} not found'),
        'GET /flow_runs/{id}/graph': exceptionMessage('Flow run with id {absent} not found'),
        'GET /flow_runs/{id}/graph-v2': exceptionMessage('Flow run {absent} not found'),
        'POST /flow_runs/{id}/input/filter': { status: 200, body: [] },
        'GET /flow_runs/{id}/input/{key}': detail('Flow run input not found'),
        'DELETE /flow_runs/{id}/input/{key}': detail('Flow run input not found'),
      },
      changes: {
        create: 'POST /flow_runs/',
        body: (name, { flow_id }) => ({ name, flow_id }),
        updates: [['PATCH', { name: 'renamed' }]],
        recorded: { ...nothing, created: ['prefect.flow-run.Pending'] },
      },
    },
  ),
  resource('flow run input', ['/flow_runs/{id}/input/{key}'], detail('Flow run input not found'), {
    changes: {
      create: 'POST /flow_runs/{id}/input',
      body: (key) => ({ key, value: crypto.randomUUID() }),
      unique: { taken: detail('A flow run input with this key already exists.', 409) },
      recorded: nothing,
    },
  }),
  resource(
    'state of a flow run or task run',
    ['/flow_run_states/{id}', '/task_run_states/{id}'],
    detail('Flow run state not found'),
  ),
  resource('task run', ['/task_runs/{id}', '/ui/task_runs/{id}', '/views/task_runs/{id}'], detail('Task not found'), {
    otherwise: {
      'PATCH /task_runs/{id}': detail('Task run not found'),
      'POST /task_runs/{id}/set_state': exceptionMessage('Task run with id {absent} not found'),
      'GET /views/task_runs/{id}': detail('Task run not found'),
    },
    changes: {
      create: 'POST /task_runs/',
      body: (name, { flow_run_id }) => ({ name, flow_run_id, task_key: name, dynamic_key: '0' }),
      updates: [['PATCH', { name: 'renamed' }]],
      recorded: nothing,
    },
  }),
  resource(
    'deployment',
    [
      '/deployments/{id}',
      '/deployments/name/{flow_name}/{deployment_name}',
      '/deployments/name/{flow_name}',
      '/views/deployments/{id}',
    ],
    detail('Deployment not found'),
    {
      otherwise: {
        'PATCH /deployments/{id}': detail('Deployment not found.'),
        'GET /deployments/{id}/schedules': detail('Deployment not found.'),
        'POST /deployments/{id}/schedules': detail('Deployment not found.'),
        'PATCH /deployments/{id}/schedules/{schedule_id}': detail('Deployment not found.'),
        'DELETE /deployments/{id}/schedules/{schedule_id}': detail('Deployment not found.'),
        'POST /deployments/{id}/schedule': { status: 200, body: null },
      },
      changes: {
        create: 'POST /deployments/',
        body: (name, { flow_id }) => ({ name, flow_id }),
        updates: [['PATCH', { tags: ['new'] }]],
        recorded: 'prefect.deployment',
      },
    },
  ),
  resource('schedule of a deployment', ['/deployments/{id}/schedules/{schedule_id}'], detail('Schedule not found.'), {
    changes: {
      create: 'POST /deployments/{id}/schedules',
      body: (slug) => [{ slug, schedule: { interval: 3600 } }],
      madeAs: '0',
      seenIn: '/deployments/{id}/schedules',
      updates: [['PATCH', { active: false }]],
      unique: { taken: dataConflict },
      recorded: nothing,
    },
  }),
  resource('backfill', ['/backfills/{id}'], exceptionMessage('Backfill not found')),
  resource('bulk work', ['/bulk_work/{id}'], exceptionMessage('Bulk work not found')),
  resource('failure cause', ['/failure_causes/{id}'], exceptionMessage('Failure cause not found')),
  resource('concurrency limit', ['/v2/concurrency_limits/{id_or_name}'], detail('Concurrency Limit not found'), {
    changes: {
      create: 'POST /v2/concurrency_limits/',
      body: (name) => ({ name, limit: 1 }),
      updates: [['PATCH', { limit: 3 }]],
      unique: { taken: dataConflict, renamed: dataConflict },
      recorded: 'prefect.concurrency-limit',
    },
  }),
  resource(
    'lease of a concurrency limit',
    ['/v2/concurrency_limits/leases/{lease_id}'],
    detail('Lease not found - it may have expired or been revoked', 410),
  ),
  resource(
    'task concurrency limit',
    ['/concurrency_limits/{id}', '/concurrency_limits/tag/{tag}', '/views/concurrency_limits/{id}'],
    detail('Concurrency limit not found'),
    {
      changes: {
        create: 'POST /concurrency_limits/',
        body: (tag) => ({ tag, concurrency_limit: 1 }),
        deletedWith: 200,
        // It is a concurrency limit too.
        recorded: 'prefect.concurrency-limit',
      },
    },
  ),
  resource('artifact', ['/artifacts/{id}', '/artifacts/{key}'], detail('Artifact not found.'), {
    changes: {
      create: 'POST /artifacts/',
      body: (key) => ({ key, data: 1 }),
      updates: [['PATCH', { data: 2 }]],
      recorded: {
        created: ['prefect.artifact-collection.created of prefect.artifact-collection'],
        updated: [],
        deleted: ['prefect.artifact-collection.deleted of prefect.artifact-collection'],
      },
    },
  }),
  resource('variable', ['/variables/{id}', '/variables/name/{name}'], detail('Variable not found.'), {
    changes: {
      create: 'POST /variables/',
      body: (name) => ({ name, value: 1 }),
      updates: [['PATCH', { value: 2 }]],
      unique: { taken: detail("A variable with the name '{taken}' already exists.", 409), renamed: dataConflict },
      recorded: 'prefect.variable',
    },
  }),
  resource('saved search', ['/saved_searches/{id}'], detail('Saved search not found'), {
    changes: {
      create: 'PUT /saved_searches/',
      body: (name) => ({ name, filters: [] }),
      recorded: nothing,
    },
  }),
  resource('automation', ['/automations/{id}', '/views/automations/{id}'], exceptionMessage('Automation not found'), {
    otherwise: { 'GET /views/automations/{id}': detail('Automation not found') },
    changes: {
      create: 'POST /automations/',
      body: (name) => ({ name, trigger, actions: [] }),
      updates: [
        ['PATCH', { enabled: false }],
        ['PUT', { name: 'replaced', trigger, actions: [], tags: ['new'] }],
      ],
      recorded: 'prefect.automation',
    },
  }),
  resource('webhook', ['/webhooks/{id}'], exceptionMessage('Webhook not found'), {
    changes: {
      create: 'POST /webhooks/',
      body: (name) => ({ name, template }),
      updates: [
        ['PATCH', { enabled: false }],
        ['PUT', { name: 'replaced', description: 'new', template }],
      ],
      recorded: {
        created: ['prefect.webhook.created', 'webhook.create'],
        updated: ['prefect.webhook.updated', 'webhook.update'],
        deleted: ['prefect.webhook.deleted', 'webhook.delete'],
      },
    },
  }),
  resource('block type', ['/block_types/{id}', '/block_types/slug/{slug}'], detail('Block type not found'), {
    otherwise: {
      'GET /block_types/slug/{slug}/block_documents/name/{block_document_name}': detail('Block document not found'),
    },
    changes: {
      create: 'POST /block_types/',
      body: (slug) => ({ name: slug, slug }),
      updates: [['PATCH', { description: 'new' }]],
      unique: { taken: detail('Block type with name "{taken}" already exists', 409) },
      recorded: 'prefect.block-type',
    },
  }),
  resource(
    'block schema',
    ['/block_schemas/{id}', '/block_schemas/checksum/{checksum}'],
    detail('Block schema not found'),
    {
      changes: {
        create: 'POST /block_schemas/',
        body: (title, { block_type_id }) => ({ block_type_id, fields: { title } }),
        recorded: nothing,
      },
    },
  ),
  resource(
    'block document',
    [
      '/block_documents/{id}',
      '/block_types/slug/{slug}/block_documents/name/{block_document_name}',
      '/views/block_documents/{id}',
    ],
    detail('Block document not found'),
    {
      otherwise: {
        'GET /views/block_documents/{id}/uses': { status: 200, body: { uses: [], is_result_storage: false } },
      },
      changes: {
        create: 'POST /block_documents/',
        body: (name, { block_type_id, block_schema_id }) => ({ name, data: {}, block_type_id, block_schema_id }),
        updates: [['PATCH', { data: { text: 'new' } }]],
        unique: { taken: detail('Block already exists', 409) },
        recorded: 'prefect.block-document',
      },
    },
  ),
  resource('view of a collection', ['/collections/views/{view}'], detail('View {absent} not found in registry')),
  resource(
    'work pool',
    ['/work_pools/{name}', '/work_pools/{work_pool_name}', '/views/work_pools/{name}'],
    detail('Work pool "{absent}" not found.'),
    {
      otherwise: {
        'POST /work_pools/{name}/concurrency_status': detail("Work pool '{absent}' not found."),
        'GET /work_pools/{work_pool_name}/queues/{name}': detail("Work pool queue '{absent}/{name}' not found."),
        'DELETE /work_pools/{work_pool_name}/queues/{name}': detail("Work pool queue '{absent}/{name}' not found."),
        'GET /views/work_pools/{name}': detail('Work pool not found'),
      },
      changes: {
        create: 'POST /work_pools/',
        body: (name) => ({ name, type: 'process' }),
        updates: [['PATCH', { concurrency_limit: 3 }]],
        unique: { taken: detail('A work pool with this name already exists.', 409) },
        recorded: {
          created: [
            'prefect.work-queue.created of prefect.work-queue',
            'prefect.work-pool.created',
            'prefect.work-pool.not-ready',
          ],
          updated: ['prefect.work-pool.updated'],
          deleted: ['prefect.work-queue.deleted of prefect.work-queue', 'prefect.work-pool.deleted'],
        },
      },
    },
  ),
  resource(
    'queue of a work pool',
    ['/work_pools/{work_pool_name}/queues/{name}'],
    detail("Work pool queue '{work_pool_name}/{absent}' not found."),
    {
      changes: {
        create: 'POST /work_pools/{work_pool_name}/queues',
        body: (name) => ({ name }),
        updates: [['PATCH', { concurrency_limit: 3 }]],
        unique: {
          taken: detail("A work queue with this name already exists in work pool 'own-pool'.", 409),
          renamed: dataConflict,
        },
        recorded: 'prefect.work-queue',
      },
    },
  ),
  resource(
    'work queue',
    ['/work_queues/{id}', '/work_queues/name/{name}', '/views/work_queues/{id}'],
    detail('work queue not found'),
    {
      otherwise: {
        'PATCH /work_queues/{id}': detail('Work Queue {absent} not found'),
        'POST /work_queues/{id}/concurrency_status': detail('Work queue not found.'),
        'GET /work_queues/{id}/status': exceptionMessage('Work queue with id {absent} not found'),
        'POST /work_queues/{id}/get_runs': exceptionMessage('Work queue with id {absent} not found.'),
        'GET /views/work_queues/{id}': detail('Work queue not found'),
      },
      changes: {
        create: 'POST /work_queues/',
        body: (name) => ({ name }),
        updates: [['PATCH', { concurrency_limit: 3 }]],
        unique: { taken: detail('A work queue with this name already exists.', 409), renamed: dataConflict },
        recorded: 'prefect.work-queue',
      },
    },
  ),
  resource('worker', ['/work_pools/{work_pool_name}/workers/{name}'], detail('Worker not found.'), {
    changes: {
      create: 'POST /work_pools/{work_pool_name}/workers/heartbeat',
      body: (name) => ({ name }),
      seenIn: '/work_pools/{work_pool_name}/workers',
      recorded: nothing,
    },
  }),
];
