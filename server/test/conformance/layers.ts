/**
 * The rooms of the server, each with what it holds, from top to bottom: a file imports from its own layer and from those
 * below it. A folder with inner layers is listed as those layers. `npm run docs` writes the module map from this list.
 */
export type Layer = Readonly<Record<string, string>>;

export const layers: readonly Layer[] = [
  { 'main.js': 'checks the version of Node and runs a command' },
  { 'command-line.ts': 'the list of commands, their flags and their help' },
  { commands: 'the work of each command' },
  { 'process/server.ts': 'starts the program: lock, listen, stop; and the database for the commands of operators' },
  { 'process/process.ts': 'assembles one process, for the program and for the tests, and stops it in order' },
  { 'app.ts': 'the list of all routes, sockets and pages' },
  {
    services: 'background services',
    'process/import': 'imports the data of a Prefect server',
    'process/backup': 'makes and restores backups',
    'process/metrics': 'metrics for Prometheus and collectors, loaded if they are on',
    'process/tracing': 'traces of OpenTelemetry, loaded if they are on',
    'process/doctor': 'the checks of `signalbox doctor`',
  },
  { platform: 'the API of organizations, people, programs, keys and MCP servers' },
  { orchestration: 'the API of a workspace, a folder for each resource, with the state machine in `runs/states/`' },
  {
    http: 'the way of a request: `routes/` (how they are declared), `pipelines/` (stages), `request/`, `answer/`, `sockets/`, `session/`, `documents/`',
  },
  {
    context: 'the context of an operation, and the parts of the process; code below it takes the parts that it needs',
  },
  { 'mcp/gateway/gateway.ts': 'the gateway to MCP servers' },
  { 'mcp/gateway/stages.ts': 'the list of the stages of a call' },
  { 'mcp/gateway/stages': 'each stage' },
  { 'mcp/gateway/way': 'the state of a call, its destination, and the runner of stages' },
  { 'mcp/gateway/return': 'answers on their way back: filters, sealed ids, open streams' },
  { 'mcp/gateway/record': 'the record of requests and sessions' },
  { 'mcp/gateway/decide': 'reads a message, and decides whether the policy allows it' },
  { 'mcp/gateway/arrive': 'address, host name, key and access; refusals' },
  { 'mcp/builtin/builtin-servers.ts': 'the built-in server of each workspace' },
  { 'mcp/builtin/protocol': 'serves that server with the official SDK, loaded with the first request' },
  { 'mcp/builtin/offer': 'the lists of its tools, resources and prompts, and calls of them' },
  { 'mcp/builtin/tools': 'its tools, which call the routes of the API' },
  { 'mcp/builtin/definition': 'how a tool is defined; pages, short answers, and the API as tools see it' },
  { 'mcp/remix/remixes.ts': 'servers composed of other servers, each as one upstream' },
  { 'mcp/remix/clients': 'the clients of a remix, of either era, and their sessions' },
  { 'mcp/remix/calls': 'requests to one source, lists of several, merged streams' },
  { 'mcp/remix/sources': 'the ways to the sources, and the messages between them and the clients' },
  { 'mcp/remix/composition': 'the chosen capabilities and their names' },
  {
    'mcp/translation': 'lets clients and servers of different revisions speak with each other',
    'mcp/manifest': 'the capabilities that a server offers',
  },
  { 'mcp/hosting/builds': 'chooses the next build, and keeps its result' },
  {
    'mcp/hosting/hosting.ts': 'MCP servers that this server runs',
    'mcp/hosting/output': 'the output of programs, as it is stored',
    'mcp/hosting/plans.ts': 'the plans by which programs are started',
    'mcp/hosting/running-program.ts': 'a program that runs in the host',
  },
  { 'mcp/hosting/sharing': 'which host of the installation runs a program, and the way to it' },
  { 'mcp/hosting/host/host-process.ts': 'the program of the host of foreign programs' },
  { 'mcp/hosting/host/serve-host.ts': 'the servers that use the host' },
  { 'mcp/hosting/host/program-host.ts': 'the programs and builds in the host' },
  {
    'mcp/hosting/host/builds': 'makes an artifact from a source',
    'mcp/hosting/host/stdio': 'programs that speak over stdin and stdout',
  },
  { 'mcp/hosting/host/instances': 'one run of a deployment: start, trial, end' },
  {
    'mcp/hosting/host/output': 'reads the output of programs',
    'mcp/hosting/host/runner': 'processes and the sandbox',
  },
  {
    'mcp/hosting/host/network': 'the way of sandboxed programs to the network, and to them',
    'mcp/hosting/host/limits': "the kernel's limits",
  },
  {
    'mcp/hosting/host/machine': 'processes, users and files of the machine',
    'mcp/hosting/boundary': 'the calls between server and host',
  },
  { 'mcp/hosting/launch': 'the command, folder, environment and ceilings of a program' },
  {
    'mcp/credentials': 'the accounts that people have at MCP servers: keys, sign-ins, their renewal',
    'mcp/quotas': 'the limits on requests of callers',
  },
  { mail: 'the only sender of mail' },
  {
    events: 'records and publishes events',
    recurrence: 'counts what happens again: new, again, regressed, muted, resolved',
    identity:
      'callers and their permissions: `keys/`, `access/` (the decision), `callers/`, `people/`, `audit/`, `targets/`',
  },
  { 'mcp/upstream': 'connections to MCP servers: HTTP, credentials, circuit breaker, deadlines' },
  { peers: 'the other processes of the installation: who lives, and the connections to them' },
  {
    changes: 'the hub, which passes changes to the parts of the process',
    rates: 'counts over time for all replicas: attempts that refill, and sliding minutes',
  },
  {
    database:
      'both stores behind one interface: statements, `rows`, `listing`, filters, `dialect/`, `tables/`, `migrations/`, `schema/`, `sqlite/`, `postgres/`, `opening/`, `copies/`',
  },
  {
    'config.ts': 'the configuration, from the settings',
    encryption: 'encrypts stored secrets',
    'json-schema': "validates by users' own schemas",
    schedules: 'the dates of cron, interval and recurrence rules',
    templates: "evaluates users' templates",
    'mcp/protocol': 'the messages of MCP',
  },
  {
    fairness: 'bounds, shares and queues; budgets of work',
    settings: 'every setting, by theme, with its sources',
  },
  {
    network: 'addresses, origins, proxies, closed connections',
    outbound: 'guarded requests to other servers',
    pages: 'the frame and the forms of pages for people',
    schema: 'the kinds of fields in requests and answers, with their decoders and encoders',
  },
  {
    'error-codes.ts': 'the codes of errors, each with its status and meaning',
    'errors.ts': 'every kind of error that a request can end with',
    files: 'locks, folders and files that appear as a whole',
    'folders.ts': 'the folders of the program',
    'invocation.ts': 'how commands are called in this installation',
    values: 'ids, times, JSON, texts, versions',
    watching: 'the log, traces, channels for metrics, the watch of the event loop, owners of background work',
  },
];

/** The layers inside `orchestration/`: its folders from top to bottom. */
export const orchestrationLayers: readonly Layer[] = [
  { 'bulk-work': 'changes of many runs, done in steps' },
  { views: 'one answer for each screen of the dashboard; the stream of changes' },
  { causes: 'the causes by which failures of flow runs are sorted' },
  {
    automations: 'triggers and actions',
    backfills: 'runs for past dates',
    polling: 'the routes that hand out due runs, and the readiness of queues and deployments',
    ui: "the questions of Prefect's own interface",
    why: 'the reasons why a run does not start',
  },
  { deployments: 'deployments, their schedules, the runs that are made ahead' },
  {
    flows: 'flows',
    retention: 'deletes by age',
    work: 'pools, queues, the queues of agents, workers, their channel, task workers',
  },
  {
    runs: '`rows/` (tables and columns of runs), `states/` (the state machine), `state-machine.ts` (connects it with artifacts, slots and the queue of task runs), `removal.ts`, `flow-runs/`, `upkeep/` (late, silent, paused and cancelled runs), `history/`, `task-runs/`, `graph/`',
  },
  {
    admin: "the server's settings",
    collections: 'the types of pools that a client can show',
    parameters: 'parameters and job variables against their schemas',
  },
  {
    artifacts: 'artifacts and their collections',
    blocks: 'types, schemas, documents',
    limits: '`global-limits/` (`/v2/concurrency_limits`) and `task-limits/` (`/concurrency_limits`)',
    logs: 'logs of runs',
    'observed-states': 'states that clients only report',
    'saved-searches': 'saved searches',
    variables: 'variables',
    webhooks: 'addresses that turn requests into events',
  },
  {
    'event-reads': 'routes and sockets of events',
    filters: 'filters and pages of lists',
    lookups: 'rows that requests for other resources refer to',
    'template-checks': 'checks of templates',
  },
];

/** The layers inside `orchestration/runs/`. */
export const runLayers: readonly (readonly string[])[] = [
  ['graph'],
  ['task-runs'],
  ['history'],
  ['flow-runs', 'upkeep'],
  ['attempts.ts', 'removal.ts', 'state-machine.ts'],
  ['states'],
  ['rows'],
];

/**
 * The rooms of the dashboard, in `dashboard/src/`. Inside an area, routes import its pages, and pages its other files. No
 * file imports a page of another area.
 */
export const dashboardLayers: readonly Layer[] = [
  { 'main.tsx': 'starts the application' },
  { 'routes.tsx': 'joins the addresses of all areas' },
  {
    account: 'the person who is signed in: name, keys, sessions, connections',
    audit: 'the audit log of an organization',
    automations: 'automations, their triggers and actions',
    blocks: 'blocks by type',
    concurrency: 'concurrency limits',
    flows: 'flows',
    home: 'the first page: what runs, waits and fails',
    servers: 'MCP servers: their sources, policy, programs, tools',
    settings: 'the settings of the server and of this browser',
    variables: 'variables',
    webhooks: 'webhooks',
    work: 'work pools, queues and workers',
  },
  {
    catalog: 'the MCP servers that people can find, and requests for access',
    deployments: 'deployments, their schedules and backfills',
    events: 'events',
    inbox: 'the causes of failures: what is new, comes again, is muted or resolved',
    requests: 'the record of requests to an MCP server',
    runs: 'flow runs and task runs: lists, timeline, graph, logs',
    workspaces: 'workspaces and who may use them',
  },
  {
    artifacts: 'artifacts of runs',
    people: 'members, invitations and service accounts of an organization',
    schedule: 'the calendar of scheduled runs, and schedules in words',
  },
  {
    keys: 'tables and dialogs of keys, for people and service accounts',
    organizations: 'the frames of pages that belong to an organization',
  },
  { shell: 'what surrounds each page: navigation, palette, shortcuts, sign-in; and how a page is declared' },
  { components: 'parts of pages that know no area: tables, forms, dialogs, charts, texts' },
  { design: 'colours, marks of states, and how times, sizes and messages are written' },
  { preferences: 'the choices of this browser: density, zone, colours' },
  { api: 'the two APIs: types, reads, changes, the stream of changes, access' },
];
