import type { OrganizationContext } from '../../../context/platform-context.ts';
import { Forbidden, NamedConflict } from '../../../errors.ts';
import type { Role } from '../../../identity/access/access.ts';
import { serverFor } from './access.ts';
import type { ServerRow } from './queries.ts';

/** Like `serverFor`, for features that only a hosted server has: 409 `not_hosted`. */
export async function hostedServerFor(
  context: OrganizationContext,
  idOrSlug: string,
  required: Role,
): Promise<ServerRow> {
  const row = await serverFor(context, idOrSlug, required);
  if (row.kind !== 'hosted') throw new NamedConflict('not_hosted', 'Only a hosted server has this.');
  return row;
}

/** Throws Forbidden if this installation runs no programs of users. */
export function checkHosting({ server }: OrganizationContext): void {
  if (server.config.hosting !== 'off') return;
  throw new Forbidden('Hosting is off on this server. An operator can install bubblewrap or set SIGNALBOX_HOSTING.');
}
