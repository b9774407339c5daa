/** Entities as the server answers them. A test names only the fields that it is about. */
import type { components as PlatformComponents } from '../src/api/platform.gen.ts';
import type { components } from '../src/api/schema.gen.ts';
import type { GraphNode } from '../src/runs/graph/graph-model.ts';

type Schemas = components['schemas'];
type PlatformSchemas = PlatformComponents['schemas'];

/** Noon in UTC, on a Sunday in winter. */
export const NOW = '2026-11-22T12:00:00.000Z';

let made = 0;

export function newId(): string {
  made += 1;
  return `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
}

/** A flow run as a list shows it. */
export function flowRun(given: Partial<Schemas['RunRow']> = {}): Schemas['RunRow'] {
  return {
    id: newId(),
    name: 'quick-fox',
    flow_id: newId(),
    flow_name: 'report',
    deployment_id: null,
    deployment_name: null,
    work_pool_name: null,
    work_queue_name: null,
    state_type: 'COMPLETED',
    state_name: 'Completed',
    state_message: null,
    state_timestamp: NOW,
    expected_start_time: NOW,
    start_time: NOW,
    end_time: NOW,
    run_time: 1,
    lateness: 0,
    run_count: 1,
    tags: [],
    is_subflow: false,
    ...given,
  };
}

/** A page of the list of flow runs. */
export function runsPage(runs: readonly Schemas['RunRow'][], given: Partial<Schemas['RunsView']> = {}) {
  const page: Schemas['RunsView'] = {
    as_of: NOW,
    runs: [...runs],
    next: null,
    count: null,
    history: null,
    counted_since: null,
  };
  return { ...page, ...given };
}

/** A task run or subflow run as a timeline holds it. Times are milliseconds from the origin of the timeline. */
export interface TaskRun {
  readonly id: string;
  readonly kind: 'task-run' | 'flow-run';
  readonly name: string;
  readonly state_type: Schemas['StateType'] | null;
  readonly state_name: string | null;
  readonly expected: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly run_count: number;
  /** Places of the runs whose results it takes. */
  readonly givers: readonly number[];
  /** Its states, where it was tried more than once. */
  readonly states: readonly Omit<Schemas['TimelineState'], 'task'>[];
}

export function taskRun(given: Partial<TaskRun> = {}): TaskRun {
  return {
    id: newId(),
    kind: 'task-run',
    name: 'extract-0',
    state_type: 'COMPLETED',
    state_name: 'Completed',
    expected: 0,
    start: 0,
    end: 1000,
    run_count: 1,
    givers: [],
    states: [],
    ...given,
  };
}

/** The timeline of a flow run that completed, with these task runs. */
export function timeline(
  tasks: readonly TaskRun[] = [],
  given: Partial<Schemas['TimelineView']> = {},
): Schemas['TimelineView'] {
  return {
    as_of: NOW,
    origin: NOW,
    total: tasks.length,
    id: tasks.map(({ id }) => id),
    kind: tasks.map(({ kind }) => kind),
    name: tasks.map(({ name }) => name),
    state_type: tasks.map(({ state_type }) => state_type),
    state_name: tasks.map(({ state_name }) => state_name),
    expected: tasks.map(({ expected }) => expected),
    start: tasks.map(({ start }) => start),
    end: tasks.map(({ end }) => end),
    run_count: tasks.map(({ run_count }) => run_count),
    attempts: tasks.flatMap(({ states }, task) => states.map((state) => ({ task, ...state }))),
    errors: [],
    states: [],
    givers: tasks.map(({ givers }) => [...givers]),
    ...given,
  };
}

export function graphNode(given: Partial<GraphNode> = {}): GraphNode {
  const start = Date.parse(NOW);
  return {
    id: newId(),
    name: 'extract-0',
    isSubflow: false,
    kind: 'COMPLETED',
    start,
    givers: [],
    takers: [],
    ...given,
  };
}

/** Why a run does not start. */
export function reason(given: Partial<Schemas['FlowRunReason']> = {}): Schemas['FlowRunReason'] {
  return {
    code: 'no_worker',
    message: 'No worker polls the work pool "big".',
    blocks: true,
    since: null,
    until: null,
    resource: null,
    limit: null,
    active_slots: null,
    holders: null,
    ...given,
  };
}

/** The first page of a workspace in which nothing is wrong. */
export function home(given: Partial<Schemas['HomeView']> = {}): Schemas['HomeView'] {
  return {
    as_of: NOW,
    since: NOW,
    now: [],
    history: [],
    failed: 0,
    failed_counted_since: null,
    causes: [],
    cause_count: 0,
    paused: [],
    failed_actions: [],
    stuck_count: 0,
    stuck: [],
    upcoming: [],
    run_time: null,
    flows: 1,
    deployments: 1,
    first_hour: false,
    ...given,
  };
}

/** A schedule of a deployment. */
export function deploymentSchedule(
  schedule: Schemas['DeploymentSchedule']['schedule'],
  given: Partial<Schemas['DeploymentSchedule']> = {},
): Schemas['DeploymentSchedule'] {
  return { id: newId(), created: NOW, updated: NOW, active: true, schedule, ...given };
}

/** The trigger of an automation, for one event of any resource. */
export function eventTrigger(given: Partial<Schemas['EventTrigger']> = {}): Schemas['EventTrigger'] {
  return {
    type: 'event',
    posture: 'Reactive',
    match: {},
    match_related: {},
    after: [],
    expect: ['order.placed'],
    for_each: [],
    threshold: 1,
    within: 0,
    ...given,
  };
}

export function automation(given: Partial<Schemas['Automation']> = {}): Schemas['Automation'] {
  return {
    id: newId(),
    created: NOW,
    updated: NOW,
    name: 'watch',
    description: '',
    enabled: true,
    trigger: eventTrigger(),
    actions: [{ type: 'do-nothing' }],
    actions_on_trigger: [],
    actions_on_resolve: [],
    tags: [],
    ...given,
  };
}

export function event(given: Partial<Schemas['ReceivedEvent']> = {}): Schemas['ReceivedEvent'] {
  return {
    id: newId(),
    occurred: NOW,
    received: NOW,
    event: 'order.placed',
    resource: { 'prefect.resource.id': 'shop.order.1' },
    related: [],
    payload: {},
    ...given,
  };
}

/** A view of the list of runs that somebody has saved. */
export function savedSearch(given: Partial<Schemas['SavedSearch']> = {}): Schemas['SavedSearch'] {
  return { id: newId(), created: NOW, updated: NOW, name: 'Failures', filters: [], ...given };
}

type Server = PlatformSchemas['Server'];

/** An external MCP server that has answered. */
export function mcpServer(given: Partial<Server> = {}): Server {
  return {
    id: newId(),
    createdAt: NOW,
    updatedAt: NOW,
    organizationId: newId(),
    slug: 'weather',
    name: 'Weather',
    description: '',
    kind: 'external',
    visibility: 'discoverable',
    defaultRole: null,
    authentication: 'platform',
    deniedAs: 'forbidden',
    servingUrl: 'http://127.0.0.1/mcp/weather',
    role: null,
    external: null,
    hosted: null,
    remix: null,
    personalCredential: null,
    manifestReadAt: NOW,
    manifestError: null,
    ...given,
  };
}

type ServerProcess = PlatformSchemas['ServerProcess'];

/** The program of a hosted MCP server that runs. */
export function serverProcess(given: Partial<ServerProcess> = {}): ServerProcess {
  return {
    stoppedAt: null,
    state: 'running',
    deploymentId: newId(),
    startedAt: NOW,
    processes: 1,
    memoryBytes: 50_000_000,
    requestsUnderWay: 0,
    failures: 0,
    lastFailure: null,
    retryAfterSeconds: 0,
    ...given,
  };
}

/** The deployment of a build that is live. */
export function serverDeployment(
  given: Partial<PlatformSchemas['ServerDeployment']> = {},
): PlatformSchemas['ServerDeployment'] {
  return {
    id: newId(),
    serverId: newId(),
    buildId: newId(),
    status: 'live',
    createdAt: NOW,
    createdBy: newId(),
    endedAt: null,
    ...given,
  };
}

type Capabilities = PlatformSchemas['Capabilities'];

/** What a server offers: nothing. */
export function capabilities(given: Partial<Capabilities> = {}): Capabilities {
  return {
    readAt: NOW,
    error: null,
    eras: [],
    serverInfo: null,
    instructions: null,
    tools: [],
    prompts: [],
    resources: [],
    resourceTemplates: [],
    ...given,
  };
}

type Access = PlatformSchemas['Access'];

/** What a person without any role may do. */
export function access(given: Partial<Access> = {}): Access {
  return {
    user: null,
    csrfToken: null,
    organizations: [],
    organizationId: null,
    workspaceId: null,
    permissions: [],
    ...given,
  };
}
