import { platformStatement } from '../../src/database/statement.ts';
import { addSeconds, type Timestamp } from '../../src/values/time.ts';
import type { TestServer } from './server.ts';

const useBefore = platformStatement<{ used: Timestamp }, unknown>((query, given) =>
  query.updateTable('oauth_token').set({ consumed_at: given.used }).where('consumed_at', 'is not', null),
);

/** As if the tokens that were used had been so more than a minute ago. */
export async function letUsesAge({ server: { store, clock } }: TestServer): Promise<void> {
  await store.platform.transaction((tx) => tx.run(useBefore, { used: addSeconds(clock.now(), -61) }));
}
