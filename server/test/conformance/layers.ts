/**
 * From top to bottom: a file imports from its own layer and from those below it. A folder with layers of its own stands
 * here as these. Drawn in docs/architecture.md.
 */
export const layers: readonly (readonly string[])[] = [
  ['main.js'],
  ['command-line.ts'],
  ['commands'],
  ['server.ts'],
  ['process.ts'],
  ['app.ts'],
  ['services'],
  ['orchestration', 'platform'],
  ['http'],
  ['platform-context.ts'],
  ['context.ts'],
  ['mcp/gateway/gateway.ts'],
  ['mcp/gateway/return'],
  ['mcp/gateway/record'],
  ['mcp/gateway/decide'],
  ['mcp/gateway/arrive'],
  ['mcp/translation', 'mcp/manifest'],
  ['mcp/hosting/hosting.ts'],
  ['mcp/hosting/builds', 'mcp/hosting/stdio'],
  ['mcp/hosting/instances'],
  ['mcp/hosting/launch'],
  ['mcp/hosting/output', 'mcp/hosting/runner'],
  ['mcp/hosting/network'],
  ['events', 'identity'],
  ['mcp/upstream'],
  ['database'],
  ['schema', 'json-schema', 'pages', 'outbound', 'secrets', 'templates', 'mcp/protocol'],
  [
    'config.ts',
    'errors.ts',
    'event-loop-watch.ts',
    'id.ts',
    'json',
    'json.ts',
    'logger.ts',
    'network',
    'outage-lines.ts',
    'page-limit.ts',
    'python-text.ts',
    'schedules',
    'server-changes.ts',
    'settings',
    'time.ts',
    'turns.ts',
    'versions.ts',
    'wake-ups.ts',
    'young-generation.ts',
  ],
];

/** The same inside `orchestration/`: its folders from top to bottom. Drawn there, too. */
export const orchestrationLayers: readonly (readonly string[])[] = [
  ['views'],
  ['automations', 'polling', 'ui', 'why'],
  ['deployments'],
  ['flows', 'retention', 'work'],
  ['runs'],
  ['admin', 'collections', 'parameters'],
  ['artifacts', 'blocks', 'limits', 'logs', 'observed-states', 'saved-searches', 'variables'],
  ['events', 'filters', 'lookups', 'templates'],
];

/** And inside `orchestration/runs/`. */
export const runLayers: readonly (readonly string[])[] = [
  ['graph'],
  ['task-runs'],
  ['history'],
  ['flow-runs', 'upkeep'],
  ['removal.ts', 'state-machine.ts'],
  ['states'],
  ['rows'],
];
