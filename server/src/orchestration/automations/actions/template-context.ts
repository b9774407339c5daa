/**
 * The names that templates of an automation may use. An object in the database is read only when a template names it,
 * and before rendering: rendering is synchronous. Source: docs.prefect.io/v3/concepts/automations.
 */
import type { Context } from '../../../context/context.ts';
import type { Db } from '../../../database/store.ts';
import type { Resource } from '../../../events/record.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import type { TSchema } from '../../../schema/kinds.ts';
import { TemplateSyntaxError } from '../../../templates/syntax/template-error.ts';
import { DEFAULT_ALLOWANCE, type RenderOptions, Template } from '../../../templates/template.ts';
import { type Value, valueOfJson } from '../../../templates/values.ts';
import { isJsonObject, type JsonText, parseJson, parseObject } from '../../../values/json.ts';
import { findDeployment } from '../../deployments/queries.ts';
import { deploymentResponse } from '../../deployments/response.ts';
import { DeploymentResponse } from '../../deployments/schema.ts';
import { Flow } from '../../flows/schema.ts';
import { findLimit } from '../../limits/global-limits/queries.ts';
import { GlobalConcurrencyLimitResponse } from '../../limits/global-limits/schema.ts';
import { activeSlots } from '../../limits/global-limits/usage.ts';
import { flows } from '../../lookups/flows.ts';
import { workPools } from '../../lookups/work-pools.ts';
import { flowRunResponse } from '../../runs/flow-runs/response.ts';
import { FlowRunResponse } from '../../runs/flow-runs/schema.ts';
import { findFlowRun } from '../../runs/rows/flow-runs.ts';
import { findTaskRun } from '../../runs/task-runs/queries.ts';
import { taskRunResponse } from '../../runs/task-runs/response.ts';
import { TaskRun } from '../../runs/task-runs/schema.ts';
import { variables as storedVariables } from '../../variables/queries.ts';
import { workPoolNow } from '../../work/pools/queries.ts';
import { workPoolResponse } from '../../work/pools/response.ts';
import { queueById } from '../../work/queues/queue-queries.ts';
import { workQueueResponse } from '../../work/queues/response.ts';
import { WorkPoolResponse, WorkQueueResponse } from '../../work/schema.ts';
import { Automation } from '../schema.ts';
import { firstOfKind, type Invocation } from './invocation.ts';
import { type Identity, templateFilters } from './template/filters.ts';
import { eventValue, Labels, modelValue, TemplateState } from './template/objects.ts';

/** The most variables that a template can use. */
const MAX_VARIABLES = 1000;

interface Found {
  readonly shape: TSchema;
  readonly row: unknown;
  /** The path of its page in the dashboard. */
  readonly path: string;
}

interface Kind {
  readonly resource: string;
  find(context: Context, db: Db, id: string): Promise<Found | undefined>;
}

const kinds: Readonly<Record<string, Kind>> = {
  flow: {
    resource: 'flow',
    find: async (_context, db, id) => found(Flow, await flows.first(db, { id }), `flows/flow/${id}`),
  },
  flow_run: {
    resource: 'flow-run',
    find: async ({ now }, db, id) => {
      const run = await findFlowRun(db, id);
      return run && found(FlowRunResponse, flowRunResponse(run, now), `runs/flow-run/${id}`);
    },
  },
  task_run: {
    resource: 'task-run',
    find: async ({ now }, db, id) => {
      const run = await findTaskRun(db, id);
      return run && found(TaskRun, taskRunResponse(run, now), `runs/task-run/${id}`);
    },
  },
  deployment: {
    resource: 'deployment',
    find: async ({ now }, db, id) => {
      const deployment = await findDeployment(db, id);
      if (!deployment) return undefined;
      return found(DeploymentResponse, await deploymentResponse(db, deployment, now), `deployments/deployment/${id}`);
    },
  },
  work_pool: {
    resource: 'work-pool',
    find: async ({ now, client }, db, id) => {
      const name = (await workPools.first(db, { id }))?.name;
      const pool = name === undefined ? undefined : await db.first(workPoolNow, { name, now });
      if (!pool) return undefined;
      const path = `work-pools/work-pool/${encodeURIComponent(pool.name)}`;
      return found(WorkPoolResponse, workPoolResponse(pool, client), path);
    },
  },
  work_queue: {
    resource: 'work-queue',
    find: async ({ now }, db, id) => {
      const queue = await db.first(queueById, { id, also: '' });
      if (!queue) return undefined;
      const [pool, name] = [queue.work_pool_name, queue.name].map(encodeURIComponent);
      return found(WorkQueueResponse, workQueueResponse(queue, now), `work-pools/work-pool/${pool}/queue/${name}`);
    },
  },
  concurrency_limit: {
    resource: 'concurrency-limit',
    find: async ({ now }, db, id) => {
      const limit = await findLimit(db, { id }, now);
      if (!limit) return undefined;
      const row = { ...limit, active_slots: activeSlots(limit, now) };
      return found(GlobalConcurrencyLimitResponse, row, `concurrency-limits/concurrency-limit/${id}`);
    },
  },
};

function found(shape: TSchema, row: unknown, path: string): Found | undefined {
  return row === undefined ? undefined : { shape, row, path };
}

const encoders = new Map<TSchema, (value: unknown) => string>();

function answer({ shape, row }: Pick<Found, 'shape' | 'row'>): Record<string, unknown> {
  const encode = encoders.get(shape) ?? compileEncoder(shape);
  encoders.set(shape, encode);
  return parseObject(encode(row) as JsonText);
}

/**
 * The values with which the templates of an invocation are rendered. A text that is not a valid template is skipped
 * here: rendering it reports the fault. All renderings with the result share one allowance.
 */
export async function renderingFor(
  context: Context,
  db: Db,
  invocation: Invocation,
  templates: readonly string[],
): Promise<RenderOptions> {
  const names = new Set(templates.flatMap((text) => [...namesIn(text)]));
  const identities = new Map<Value, Identity>();
  const values = new Map<string, Value>();
  const bind = (name: string, value: Value, identity?: Identity) => {
    values.set(name, value);
    if (identity) identities.set(value, identity);
  };
  const { automation, event } = invocation;
  if (names.has('automation') && automation) {
    const { id } = automation;
    const value = modelValue(answer({ shape: Automation, row: automation }));
    bind('automation', value, { kind: 'automation', id, path: `automations/automation/${id}` });
  }
  if (event) {
    const data = parseObject(event.text);
    const day = String(data['occurred']).slice(0, 10);
    bind('event', eventValue(data), { kind: 'event', id: event.id, path: `events/event/${day}/${event.id}` });
  }
  bind('labels', new Labels(invocation.labels));
  bindFirings(invocation, names, bind);
  for (const [name, kind] of Object.entries(kinds)) {
    if (!names.has(name)) continue;
    const id = firstOfKind(event, kind.resource);
    const object = id === undefined ? undefined : await kind.find(context, db, id);
    if (id === undefined || !object) continue;
    const data = answer(object);
    const state =
      name === 'flow_run' || name === 'task_run' ? stateInEvent(event?.resource, kind.resource, id) : undefined;
    const value = withState(modelValue(state ? { ...data, state: { ...asObject(data['state']), ...state } } : data));
    bind(name, value, { kind: kind.resource, id, path: object.path });
  }
  if (names.has('variables')) bind('variables', await variablesOf(db));
  return {
    context: values,
    filters: templateFilters(identities, dashboardUrl(context), context.now),
    allowance: { units: DEFAULT_ALLOWANCE },
  };
}

function withState(model: Value): Value {
  if (!(model instanceof Map)) return model;
  const state = (model as ReadonlyMap<Value, Value>).get('state');
  return state instanceof Map ? new Map<Value, Value>([...model, ['state', new TemplateState(state)]]) : model;
}

function bindFirings(
  { firing }: Invocation,
  names: ReadonlySet<string>,
  bind: (name: string, value: Value) => void,
): void {
  if (!['firing', 'firings', 'events'].some((name) => names.has(name))) return;
  const all = withChildren(firing);
  const events = all.map((one) => one['triggering_event']).filter(isJsonObject);
  const byId = new Map(events.map((one) => [one['id'], eventValue(one)]));
  const [own, ...others] = all.map(
    (one): Value =>
      new Map<Value, Value>([
        ...(modelValue({ ...one, triggering_event: null }) as ReadonlyMap<Value, Value>),
        ['triggering_event', byId.get(asObject(one['triggering_event'])['id']) ?? null],
      ]),
  );
  bind('firing', own ?? null);
  bind('firings', [own ?? null, ...others]);
  bind('events', [...byId.values()]);
}

function withChildren(firing: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  const children = firing['triggering_firings'];
  return [firing, ...(Array.isArray(children) ? children.filter(isJsonObject).flatMap(withChildren) : [])];
}

/** The state in the event; the run may have left it since. */
function stateInEvent(resource: Resource | undefined, kind: string, id: string): object | undefined {
  const [type, name] = [resource?.['prefect.state-type'], resource?.['prefect.state-name']];
  if (resource?.['prefect.resource.id'] !== `prefect.${kind}.${id}` || !type || !name) return undefined;
  const timestamp = Date.parse(resource['prefect.state-timestamp'] ?? '');
  return {
    type,
    name,
    message: resource['prefect.state-message'] ?? null,
    ...(Number.isNaN(timestamp) ? {} : { timestamp: wireTime(resource['prefect.state-timestamp'] ?? '') }),
  };
}

/** Rewrites a time in an event's label, `2026-11-20T10:00:00.5+00:00`, in the usual form. */
function wireTime(text: string): string {
  return text
    .replace(/(\+00:00|Z)$/, 'Z')
    .replace(/\.(\d{1,6})Z$/, (_, digits: string) => `.${digits.padEnd(6, '0')}Z`);
}

async function variablesOf(db: Db): Promise<Value> {
  const rows = await storedVariables.list(db, null, { sort: 'NAME_ASC', limit: MAX_VARIABLES, offset: 0 });
  return new Map<Value, Value>(rows.map(({ name, value }) => [name, valueOfJson(parseJson(value))]));
}

function asObject(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

function namesIn(text: string): ReadonlySet<string> {
  try {
    return new Template(text).names();
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return new Set();
    throw error;
  }
}

function dashboardUrl({ server: { config } }: Context): string {
  return (config.publicUrl || `http://${config.host}:${config.port}`) + config.basePath;
}
