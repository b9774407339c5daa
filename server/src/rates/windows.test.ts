import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostedServer } from '../../test/support/hosted.ts';
import { databases, startServer } from '../../test/support/server.ts';
import { Windows } from './windows.ts';

for (const database of databases) {
  describe(`a limit of requests a minute on ${database}`, () => {
    const passed = async (limit: number, processes: number, asked: number): Promise<number> => {
      const server = await startServer({ database });
      try {
        const { store, clock } = server.server;
        const serverId = await hostedServer(server, 'limited');
        const windows = Array.from({ length: processes }, () => new Windows(store, clock, () => processes));
        const question = { serverId, counter: 'all', limit, amount: 1 };
        let count = 0;
        for (let sent = 0; sent < asked; sent++) {
          if ((await windows[sent % processes]!.take(question)) === 0) count += 1;
        }
        return count;
      } finally {
        await server.stop();
      }
    };

    test('a small one is exact, whatever the number of processes', async () => {
      assert.equal(await passed(100, 4, 120), 100);
    });

    test('a large one is exact within one percent for 48 processes, of which each asks a little', async () => {
      const count = await passed(10_000, 48, 10_200);
      assert.ok(count >= 9900 && count <= 10_000, `${count} passed`);
    });
  });
}
