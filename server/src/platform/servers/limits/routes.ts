/** Routes of the limits for the use of a server by its callers. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { notFound } from '../../../errors.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { NO_LIMITS, type StoredLimits } from '../../../mcp/quotas/limits.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { MISSING, serverFor } from '../server/access.ts';
import { audit } from '../server/audit.ts';
import { type ServerRow, servers } from '../server/queries.ts';
import { LimitsAnswer, LimitsPut } from './schema.ts';

const { get, put } = organizationRoutes('Servers', 'member');

export const serverLimitRoutes = [
  get('/servers/{server}/limits', 'readServerLimits', {
    summary: 'Read the quotas of a server',
    description: 'The limits on the use of the server by its callers. For editors of the server.',
    answers: LimitsAnswer,
    handler: async ({ context, path }) => limitsIn(await serverFor(context, path.server, 'editor')),
  }),
  put('/servers/{server}/limits', 'setServerLimits', {
    summary: 'Replace the quotas of a server',
    description:
      'Replaces the quotas from the next request on. A request beyond a quota gets 429 with `Retry-After`. A counter is kept if its `per` and `tool` do not change. For administrators of the server.',
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
    const updated = await servers.changeAll(tx, { id: row.id }, { limits, updated: context.now });
    if (updated === 0) notFound(MISSING);
    await audit(context, tx, 'limits', row, given);
  });
  return limitsIn({ limits });
}
