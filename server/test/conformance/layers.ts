/** From top to bottom: a file imports from its own layer and from those below it. Drawn in docs/architecture.md. */
export const layers: readonly (readonly string[])[] = [
  ['main.ts'],
  ['command-line.ts'],
  ['server.ts'],
  ['app.ts'],
  ['services'],
  ['orchestration'],
  ['http'],
  ['context.ts', 'events', 'identity'],
  ['database'],
  ['schema', 'json-schema', 'secrets', 'templates'],
  ['config.ts', 'errors.ts', 'id.ts', 'json.ts', 'logger.ts', 'page-limit.ts', 'time.ts', 'versions.ts', 'wake-ups.ts'],
];
