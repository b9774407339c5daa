/** Imports point one way. In the server, only modules that declare or serve routes know HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashboard, files, type Import, imports } from './imports.ts';
import { dashboardLayers, type Layer, layers, orchestrationLayers, runLayers } from './layers.ts';

/** Besides `http` itself. */
const mayKnowHttp = /^(app|process\/(process|server))\.ts$|\/(routes|[\w-]+-routes|sockets?)\.ts$/;

/** The error of an import, as a sentence; undefined when there is none. */
function problemOf({ file, target }: Import): string | undefined {
  if (target.startsWith('../')) return `${file} imports ${target}, which is outside of server/src`;
  const [from, to] = [layerOf(layers, file), layerOf(layers, target)];
  if (from === -1 || to === -1) return `${from === -1 ? file : target} belongs to no layer: add it to the list`;
  if (to < from) return `${file} imports ${target}, which is above it`;
  if (moduleOf(target) === 'http' && moduleOf(file) !== 'http' && !mayKnowHttp.test(file)) {
    return `${file} imports ${target}, but only route files know of HTTP`;
  }
  return undefined;
}

function layerOf(all: readonly Layer[], file: string): number {
  return all.findIndex((rooms) =>
    Object.keys(rooms).some((module) => file === module || file.startsWith(`${module}/`)),
  );
}

function moduleOf(file: string): string {
  return file.split('/')[0] ?? file;
}

test('every import of the server points down, and only route files know HTTP', () => {
  assert.ok(imports.length > files.length, 'the imports were found');
  assert.deepEqual(
    imports.map(problemOf).filter((problem) => problem !== undefined),
    [],
  );
});

test('an import that points up, out, sideways past HTTP, or to an unknown folder is reported', () => {
  const told = (file: string, target: string) => problemOf({ file, target }) ?? 'nothing';
  assert.match(told('database/store.ts', 'changes/hub.ts'), /above it/);
  assert.match(told('errors.ts', 'app.ts'), /above it/);
  assert.match(told('orchestration/flows/operations.ts', 'http/routes/route.ts'), /only route files/);
  assert.match(told('app.ts', '../test/support/server.ts'), /outside/);
  assert.match(told('gadgets/a.ts', 'errors.ts'), /no layer/);
  assert.match(told('mcp/upstream/connections.ts', 'mcp/gateway/gateway.ts'), /above it/);
  assert.match(told('mcp/gateway/arrive/address.ts', 'mcp/gateway/decide/screen.ts'), /above it/);
  assert.equal(told('orchestration/flows/routes.ts', 'http/routes/route.ts'), 'nothing');
  assert.match(told('events/record.ts', 'context/context.ts'), /above it/);
  assert.equal(told('context/context.ts', 'changes/hub.ts'), 'nothing');
});

for (const [folder, order] of [
  ['orchestration/', orchestrationLayers.map((layer) => Object.keys(layer))],
  ['orchestration/runs/', runLayers],
] as const) {
  test(`inside ${folder} every import points down, too`, () => {
    const floorOf = (file: string) =>
      order.findIndex((rooms) => rooms.includes(file.slice(folder.length).split('/')[0] ?? ''));
    const within = imports.filter(({ file, target }) => file.startsWith(folder) && target.startsWith(folder));
    assert.ok(within.length > 100, 'the imports were found');
    const wrong = within.filter(
      ({ file, target }) => floorOf(file) === -1 || floorOf(target) === -1 || floorOf(target) < floorOf(file),
    );
    assert.deepEqual(
      wrong.map(({ file, target }) => `${file} imports ${target}`),
      [],
    );
  });
}

/** The files of an area, from top to bottom. */
const areaFloors = [/\/routes\.ts$/, /-page\.tsx$/, /./];

/** As `problemOf`, for the dashboard. */
function dashboardProblemOf({ file, target }: Import): string | undefined {
  if (target.startsWith('../')) return `${file} imports ${target}, which is outside of dashboard/src`;
  const [from, to] = [layerOf(dashboardLayers, file), layerOf(dashboardLayers, target)];
  if (from === -1 || to === -1) return `${from === -1 ? file : target} belongs to no layer: add it to the list`;
  if (to < from) return `${file} imports ${target}, which is above it`;
  const floorOf = (name: string) => areaFloors.findIndex((pattern) => pattern.test(name));
  const isArea = dashboard.files.includes(`${moduleOf(target)}/routes.ts`);
  if (isArea && moduleOf(file) === moduleOf(target)) {
    return floorOf(target) < floorOf(file) ? `${file} imports ${target}, which is above it` : undefined;
  }
  if (isArea && floorOf(target) === 1) return `${file} imports ${target}, a page of another area`;
  return undefined;
}

test('every import of the dashboard points down, and no file imports a page of another area', () => {
  assert.ok(dashboard.imports.length > dashboard.files.length, 'the imports were found');
  assert.deepEqual(
    dashboard.imports.map(dashboardProblemOf).filter((problem) => problem !== undefined),
    [],
  );
});

test('an import of the dashboard that points up, out, to an unknown folder or to the page of another area is reported', () => {
  const told = (file: string, target: string) => dashboardProblemOf({ file, target }) ?? 'nothing';
  assert.match(told('components/table.tsx', 'shell/shortcuts.ts'), /above it/);
  assert.match(told('design/time.ts', 'components/text/moment.tsx'), /above it/);
  assert.match(told('flows/queries.ts', 'flows/flow-page.tsx'), /above it/);
  assert.match(told('flows/flow-page.tsx', 'flows/routes.ts'), /above it/);
  assert.match(told('flows/flow-page.tsx', 'deployments/deployment-page.tsx'), /page of another area/);
  assert.match(told('api/read.ts', '../../server/src/errors.ts'), /outside/);
  assert.match(told('gadgets/a.ts', 'api/read.ts'), /no layer/);
  assert.equal(told('flows/routes.ts', 'flows/flow-page.tsx'), 'nothing');
  assert.equal(told('flows/flow-page.tsx', 'deployments/deployment-lines.tsx'), 'nothing');
});
