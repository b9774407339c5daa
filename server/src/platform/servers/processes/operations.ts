import type { OrganizationContext } from '../../../context/platform-context.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Static } from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import { audit } from '../server/audit.ts';
import { type ServerRow, servers } from '../server/queries.ts';
import type { Process } from './schema.ts';

/** Has no effect on a server that is not stopped. */
const setStarted = platformStatement<{ id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('mcp_server')
    .set({ updated: given.now, stopped_at: null })
    .where('id', '=', given.id)
    .where('stopped_at', 'is not', null),
);

/** The programs of the server, wherever they run, and whether they may run at all. */
export async function processOf({ server }: OrganizationContext, row: ServerRow): Promise<Static<typeof Process>> {
  const reportOf = await server.hosting.reports();
  return { ...reportOf(row.id), stoppedAt: row.stopped_at };
}

export function restartServer(context: OrganizationContext, row: ServerRow): Promise<void> {
  return context.transaction(async (tx) => {
    await audit(context, tx, 'restart', row);
    tx.afterCommit(() => context.server.hub.tell('servers', row.id, 'restart'));
  });
}

/** Open requests finish; later ones are refused, on every replica, until the server is started again. */
export function stopServer(context: OrganizationContext, row: ServerRow): Promise<void> {
  return context.transaction(async (tx) => {
    // Has no effect on a server that is already stopped.
    const stopped = { stopped_at: context.now, updated: context.now };
    if ((await servers.changeAll(tx, { id: row.id, stopped_at: null }, stopped)) === 0) return;
    await audit(context, tx, 'stop', row);
    tx.afterCommit(() => context.server.hub.tell('servers', row.id, 'stop'));
  });
}

/** The next request starts the programs. */
export function startServer(context: OrganizationContext, row: ServerRow): Promise<void> {
  return context.transaction(async (tx) => {
    if ((await tx.run(setStarted, { id: row.id, now: context.now })) === 0) return;
    await audit(context, tx, 'start', row);
    tx.afterCommit(() => context.server.hub.tell('servers', row.id, 'start'));
  });
}
