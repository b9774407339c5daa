/** Tenants with one object of every kind, and the marks of their objects: ids, and texts that begin with a mark. */
import { type PlatformCaller, person } from './platform.ts';
import type { Answer, TestServer } from './server.ts';

export type OwnNames = Readonly<Record<string, string>>;

export interface World {
  readonly caller: PlatformCaller;
  readonly organization: string;
  /** `/api/accounts/…/workspaces/…` */
  readonly hosted: string;
  /** Each id of the tenant once. */
  readonly ids: readonly string[];
  /** An id of each kind. */
  readonly idOfEachKind: readonly string[];
  /** A text that names an object, of each kind. */
  readonly texts: readonly string[];
  /** Page cursors of its lists, as clients send them back. */
  readonly cursors: readonly string[];
  /**
   * An object of each kind, under the names that bodies and paths use, or under the path where the name is not enough.
   */
  readonly own: OwnNames;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** `mark` begins every name in it; tenants with the same mark differ only in their ids. */
export async function makeWorld(server: TestServer, slug: string, mark: string): Promise<World> {
  const founder = await person(server, `${slug}@example.com`, 'member');
  const organization = (await founder.post('/organizations', { name: slug, slug })).body.id as string;
  const workspaces = `/organizations/${organization}/workspaces`;
  const workspace = (await founder.post(workspaces, { name: mark, handle: `${mark}-workspace` })).body.id as string;
  const hosted = `/api/accounts/${organization}/workspaces/${workspace}`;
  const ids = new Set<string>();
  const send = (method: string, path: string, body?: unknown) =>
    server.request(method, path, body === undefined ? undefined : JSON.stringify(body), {
      authorization: `Bearer ${founder.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
  const make = async (method: string, path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    for (const [id] of answer.text.matchAll(UUID)) ids.add(id);
    return answer.body;
  };
  const own = {
    ...(await fillWorkspace((path, body, method = 'POST') => make(method, hosted + path, body), mark)),
    ...(await fillOrganization(
      (path, body) => make('POST', `/api/v0/organizations/${organization}${path}`, body),
      mark,
    )),
    org: organization,
    userId: founder.id,
    actorId: founder.id,
    workspaces: workspace,
  };
  for (const id of [organization, workspace, founder.id]) ids.add(id);
  const named = [...new Set<string>(Object.values(own))];
  const idOfEachKind = named.filter((text) => ids.has(text));
  const texts = named.filter((text) => !ids.has(text));
  const cursors = [...ids].map((id) => Buffer.from(id).toString('base64url'));
  return { caller: founder, organization, hosted, ids: [...ids], idOfEachKind, texts, cursors, own, send };
}

/** The tenant's object in a segment of a path; undefined where it has none of the kind. */
export function ownObjectIn(own: OwnNames, path: string, hole: string): string | undefined {
  const [address = '', collection = ''] = new RegExp(`^.*?([^/]+)/{${hole}}`).exec(path) ?? [];
  return own[address] ?? (hole === 'id' || hole === 'name' ? own[collection] : own[hole]);
}

type Make = (path: string, body?: unknown, method?: string) => Promise<Answer['body']>;

async function fillOrganization(make: Make, mark: string): Promise<OwnNames> {
  const account = await make('/service-accounts', { name: `${mark}-account` });
  const invitation = await make('/invitations', { email: `${mark}-invited@example.com` });
  const server = await make('/servers', {
    name: `${mark}-server`,
    slug: `${mark}-server`,
    kind: 'hosted',
    personalCredential: { kind: 'key' },
  });
  return {
    server: server.id,
    'service-accounts': account.serviceAccount.id,
    keyId: account.apiKey.id,
    invitations: invitation.invitation.id,
  };
}

async function fillWorkspace(make: Make, mark: string): Promise<OwnNames> {
  const named = (what: string) => `${mark}-${what}`;
  const flow = await make('/flows/', { name: named('flow'), tags: [named('tag')] });
  const pool = await make('/work_pools/', { name: named('pool'), type: 'process' });
  await make('/work_queues/', { name: named('old-queue') });
  const queue = await make(`/work_pools/${named('pool')}/queues`, { name: named('queue') });
  // It stays online for as long as the test may take.
  const heartbeat = { name: named('worker'), heartbeat_interval_seconds: 3600 };
  await make(`/work_pools/${named('pool')}/workers/heartbeat`, heartbeat);
  const deployment = await make('/deployments/', {
    name: named('deployment'),
    flow_id: flow.id,
    work_pool_name: named('pool'),
    work_queue_name: named('queue'),
    tags: [named('tag')],
    concurrency_limit: 2,
    schedules: [{ active: true, slug: named('schedule'), schedule: { interval: 3600 } }],
  });
  const run = await make(`/deployments/${deployment.id}/create_flow_run`, {
    name: named('run'),
    idempotency_key: named('key'),
    tags: [named('tag')],
  });
  await make(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' }, force: true });
  await make(`/flow_runs/${run.id}/input`, { key: named('input'), value: '1' });
  const task = await make('/task_runs/', {
    name: named('task'),
    flow_run_id: run.id,
    task_key: named('task'),
    dynamic_key: '0',
    tags: [named('tag')],
    state: { type: 'RUNNING' },
  });
  const times = { timestamp: new Date().toISOString() };
  await make('/logs/', [
    { name: 'flow', level: 20, message: named('message'), ...times, flow_run_id: run.id, task_run_id: task.id },
  ]);
  const artifact = await make('/artifacts/', {
    key: named('artifact'),
    type: 'markdown',
    data: 'x',
    flow_run_id: run.id,
    task_run_id: task.id,
  });
  const variable = await make('/variables/', { name: `${mark}_variable`, value: 1, tags: [named('tag')] });
  const search = await make('/saved_searches/', { name: named('search'), filters: [] }, 'PUT');
  const type = await make('/block_types/', { name: named('type'), slug: named('type') });
  const schema = await make('/block_schemas/', { block_type_id: type.id, fields: { title: named('schema') } });
  const block = await make('/block_documents/', {
    name: named('block'),
    data: { text: named('data') },
    block_type_id: type.id,
    block_schema_id: schema.id,
  });
  const limit = await make('/v2/concurrency_limits/', { name: named('limit'), limit: 3 });
  const lease = await make('/v2/concurrency_limits/increment-with-lease', { names: [named('limit')], slots: 1 });
  const tagLimit = await make('/concurrency_limits/', { tag: named('tag'), concurrency_limit: 2 });
  const webhook = await make('/webhooks/', { name: named('webhook'), template: named('template') });
  const backfill = await make('/backfills/', {
    name: named('backfill'),
    deployment_id: deployment.id,
    start_time: '2026-03-01T00:00:00Z',
    end_time: '2026-03-02T00:00:00Z',
    schedule: { cron: '0 0 * * *' },
  });
  const automation = await make('/automations/', {
    name: named('automation'),
    trigger: { type: 'event', posture: 'Reactive', expect: ['x'], threshold: 1, within: 0 },
    actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment.id }],
  });
  return {
    ...{ flows: flow.id, flow_id: flow.id, flow_name: named('flow') },
    ...{ work_pools: named('pool'), work_pool_id: pool.id, work_pool_name: named('pool') },
    ...{ work_queues: queue.id, work_queue_id: queue.id, work_queue_name: named('queue'), worker: named('worker') },
    ...{ deployments: deployment.id, deployment_id: deployment.id, deployment_name: named('deployment') },
    ...{ schedule_id: deployment.schedules[0].id, schedule: named('schedule') },
    ...{ flow_runs: run.id, flow_run_id: run.id, run: named('run'), idempotency_key: named('key') },
    ...{ flow_run_states: run.state_id, key: named('input') },
    ...{ task_runs: task.id, task_run_id: task.id, task: named('task'), task_run_states: task.state_id },
    ...{ artifacts: artifact.id, artifact: named('artifact'), variables: variable.id, variable: `${mark}_variable` },
    ...{ saved_searches: search.id, search: named('search'), webhooks: webhook.id },
    ...{ backfills: backfill.id },
    ...{ block_types: type.id, block_type_id: type.id, slug: named('type') },
    ...{ block_schemas: schema.id, block_schema_id: schema.id, checksum: schema.checksum },
    ...{ block_documents: block.id, block_document_id: block.id, block_document_name: named('block') },
    ...{ id_or_name: named('limit'), limit: limit.id, lease_id: lease.lease_id },
    ...{
      concurrency_limits: tagLimit.id,
      tag: named('tag'),
      automations: automation.id,
      automation: named('automation'),
    },
    resource_id: `prefect.deployment.${deployment.id}`,
    '/flows/name/{name}': named('flow'),
    '/variables/name/{name}': `${mark}_variable`,
    '/artifacts/{key}': named('artifact'),
    '/work_pools/{work_pool_name}/queues/{name}': named('queue'),
    '/work_pools/{work_pool_name}/workers/{name}': named('worker'),
    '/work_queues/name/{name}': named('old-queue'),
    '/collections/views/{view}': 'aggregate-worker-metadata',
  };
}
