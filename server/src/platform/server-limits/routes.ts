/** Routes for how much of a server its callers may use. */
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { NotFound } from '../../errors.ts';
import { organizationRoutes } from '../../http/platform-routes.ts';
import { jsonTextOf } from '../../json.ts';
import { NO_LIMITS, type StoredLimits } from '../../mcp/quotas/limits.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import type { Timestamp } from '../../time.ts';
import { recordAudit } from '../audit/record.ts';
import { serverFor } from '../servers/access.ts';
import type { ServerRow } from '../servers/queries.ts';
import { LimitsAnswer, LimitsPut } from './schema.ts';

const updateLimits = platformStatement<
  { id: string; limits: Row<'mcp_server'>['limits']; now: Timestamp },
  Pick<ServerRow, 'id'>
>((query, given) =>
  query
    .updateTable('mcp_server')
    .set((eb) => ({ updated: given.now, limits: eb.val(given.limits) }))
    .where('id', '=', given.id)
    .returning('id'),
);

const { get, put } = organizationRoutes('Servers', 'member');

export const serverLimitRoutes = [
  get('/servers/{server}/limits', 'readServerLimits', {
    summary: 'Read the quotas of a server',
    description: 'How much of the server its callers may use. For editors of the server.',
    answers: LimitsAnswer,
    handler: async ({ context, path }) => limitsIn(await serverFor(context, path.server, 'editor')),
  }),
  put('/servers/{server}/limits', 'setServerLimits', {
    summary: 'Replace the quotas of a server',
    description:
      'In force at the next request. A request beyond a quota gets 429 with `Retry-After`. Counters go on where `per` and `tool` stay. For administrators of the server.',
    body: LimitsPut,
    answers: LimitsAnswer,
    handler: async ({ context, path, body }) =>
      await putLimits(context, await serverFor(context, path.server, 'admin'), body),
  }),
];

function limitsIn({ limits }: Pick<ServerRow, 'limits'>): LimitsAnswer {
  const { quotas, maxResultBytes } = limits === null ? NO_LIMITS : (JSON.parse(limits) as StoredLimits);
  return { quotas: [...quotas], maxResultBytes };
}

async function putLimits(context: OrganizationContext, row: ServerRow, given: LimitsPut): Promise<LimitsAnswer> {
  const isNone = given.quotas.length === 0 && given.maxResultBytes === null;
  const limits = isNone ? null : jsonTextOf(given);
  await context.transaction(async (tx) => {
    const updated = await tx.first(updateLimits, { id: row.id, limits, now: context.now });
    if (!updated) throw new NotFound('Server not found.');
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'server.limits',
      target: { type: 'server', id: row.id, name: row.name },
      details: given,
    });
  });
  return limitsIn({ limits });
}
