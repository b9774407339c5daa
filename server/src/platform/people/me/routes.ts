/** Routes for callers about themselves. */

import { actorOf, type PlatformContext } from '../../../context/platform-context.ts';
import { found } from '../../../errors.ts';
import { platformRoutes } from '../../../http/routes/platform-routes.ts';
import { MISSING as MISSING_ACCOUNT } from '../../keys/service-accounts/operations.ts';
import { serviceAccountOf, serviceAccounts } from '../../keys/service-accounts/queries.ts';
import { readUser, userOf } from '../../users/queries.ts';
import { readAccess } from './access.ts';
import { Access, accessQuery } from './access-schema.ts';
import { Me } from './schema.ts';

const { get } = platformRoutes('Me', 'actor');

export const meRoutes = [
  get('/me', 'readMe', {
    summary: 'Read who the caller is',
    description: 'The user or service account behind the key or session.',
    answers: Me,
    handler: ({ context }) => readMe(context),
  }),
  get('/me/access', 'readAccess', {
    summary: 'Read the permissions of the caller',
    description:
      'The organizations and workspaces that the caller may enter, with the role in each, and the permissions in one workspace: the one behind `/api`, or a hosted one. Without a credential, the permissions of anonymous callers. At most 100 organizations and 500 workspaces are listed.',
    access: 'public',
    query: accessQuery,
    answers: Access,
    handler: ({ context, query }) => readAccess(context, query),
  }),
];

async function readMe(context: PlatformContext) {
  const { type, id } = actorOf(context);
  if (type === 'service_account') {
    const row = await serviceAccounts.first(context.db, { id });
    return { user: null, serviceAccount: serviceAccountOf(found(row, MISSING_ACCOUNT)) };
  }
  return { user: userOf(await readUser(context.db, id)), serviceAccount: null };
}
