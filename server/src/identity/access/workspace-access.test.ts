import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { startServer } from '../../../test/support/server.ts';
import type { Store } from '../../database/store.ts';
import { createOperatorContext } from '../../platform/operator/operator.ts';
import { addOrganization } from '../../platform/organizations/operations.ts';
import { newId } from '../../values/id.ts';
import { WorkspaceAccessReader } from './workspace-access.ts';

test("another's workspace takes as many reads as none, however often it is asked for", async () => {
  const server = await startServer({ config: { apiAuth: 'key' } });
  try {
    const { store, clock } = server.server;
    const { change } = createOperatorContext(store, clock.now(), server.server);
    await addOrganization(change, { slug: 'other', name: 'Other' });
    const ada = await person(server, 'ada@example.com', 'admin');
    const eve = await person(server, 'eve@example.com', 'member', 'other');
    const [workspace] = (await ada.get('/organizations/default/workspaces')).body.items;
    const { organizationId } = workspace as { organizationId: string };
    let reads = 0;
    const counted = {
      accessLook: store.accessLook,
      platform: {
        reads: () => {
          reads += 1;
          return store.platform.reads();
        },
      },
    } as Store;
    const reader = new WorkspaceAccessReader(counted);
    /** The reads of three requests. */
    const readsOf = async (key: string, workspaceId: string) => {
      reads = 0;
      for (let turn = 0; turn < 3; turn++) await reader.read(key, { organizationId, workspaceId }, clock.now());
      return reads;
    };
    assert.deepEqual([await readsOf(eve.key, workspace.id), await readsOf(eve.key, newId())], [3, 3]);
    assert.equal(await readsOf(ada.key, workspace.id), 1, 'the facts about a member are kept');
  } finally {
    await server.stop();
  }
});
