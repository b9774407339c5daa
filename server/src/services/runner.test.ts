import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { person } from '../../test/support/platform.ts';
import { startServer } from '../../test/support/server.ts';
import type { ServiceName } from '../settings/services.ts';
import { startServices } from './runner.ts';
import type { ServerService, WorkspaceService } from './service.ts';

/** A service whose passes a test waits for and ends. */
function observed(name: ServiceName, pass: (count: number) => boolean = () => false) {
  let count = 0;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const service: WorkspaceService = {
    name,
    scope: 'workspace',
    everySeconds: 3600,
    runOnce: async () => {
      count += 1;
      for (const wait of waiting) if (count >= wait.count) wait.resolve();
      return pass(count);
    },
  };
  const passes = (wanted: number) =>
    count >= wanted ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ count: wanted, resolve }));
  return { service, passes, count: () => count };
}

describe('background services', () => {
  test('a service begins at once, and again when it is woken', async () => {
    const server = await startServer();
    const scheduler = observed('scheduler');
    const running = startServices(server.server, [scheduler.service]);
    await scheduler.passes(1);
    server.server.hub.tell('work', 'scheduler', server.server.defaultWorkspace);
    await scheduler.passes(2);
    await running.stop();
    assert.equal(scheduler.count(), 2);
    await server.stop();
  });

  test('a pass that leaves work is followed by another, and a failed pass does not end the service', async () => {
    const server = await startServer();
    const scheduler = observed('scheduler', (count) => {
      if (count === 3) throw new Error('the database went away');
      return count < 3;
    });
    const running = startServices(server.server, [scheduler.service]);
    await scheduler.passes(3);
    server.server.hub.tell('work', 'scheduler', server.server.defaultWorkspace);
    await scheduler.passes(4);
    await running.stop();
    await server.stop();
  });

  test('a service of the server has one pass for all workspaces, and wakes without a workspace', async () => {
    const server = await startServer({ config: { apiAuth: 'key' } });
    const ada = await person(server, 'ada@example.com', 'admin');
    for (const handle of ['one', 'two']) {
      assert.equal((await ada.post('/organizations/default/workspaces', { name: handle, handle })).status, 201);
    }
    const ofWorkspaces = observed('retention');
    const { service, passes, count } = observed('retention');
    const ofServer: ServerService = { ...service, scope: 'server', runOnce: () => service.runOnce(server.context()) };
    const running = startServices(server.server, [ofServer, ofWorkspaces.service]);
    await ofWorkspaces.passes(3);
    await passes(1);
    server.server.hub.tell('work', 'retention', undefined);
    await passes(2);
    server.server.hub.tell('work', 'retention', server.server.defaultWorkspace);
    await ofWorkspaces.passes(4);
    await running.stop();
    assert.deepEqual([count(), ofWorkspaces.count()], [2, 4]);
    await server.stop();
  });

  test('a service that the configuration omits never runs, and waking it has no effect', async () => {
    const server = await startServer({ config: { services: new Set<ServiceName>(['foreman']) } });
    const [foreman, scheduler] = [observed('foreman'), observed('scheduler')];
    const running = startServices(server.server, [foreman.service, scheduler.service]);
    server.server.hub.tell('work', 'scheduler', server.server.defaultWorkspace);
    await foreman.passes(1);
    await running.stop();
    assert.equal(scheduler.count(), 0);
    await server.stop();
  });
});
