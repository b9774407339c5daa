/** The operator's commands for service accounts, on the machine itself. */
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import {
  addServiceAccount,
  deleteServiceAccount,
  setServiceAccountState,
} from '../keys/service-accounts/operations.ts';
import { serviceAccountOf } from '../keys/service-accounts/queries.ts';
import { type ServiceAccount, ServiceAccountCreate } from '../keys/service-accounts/schema.ts';
import { changeWithin, findOwner, type OperatorContext } from './operator.ts';
import { checked } from './organizations.ts';

type ListedServiceAccount = ServiceAccount & { readonly organization: string };

const listEveryServiceAccount = platformStatement<
  Record<string, never>,
  Row<'service_account'> & { readonly slug: string }
>((query) =>
  query
    .selectFrom('service_account')
    .innerJoin('organization', 'organization.id', 'service_account.organization_id')
    .selectAll('service_account')
    .select('organization.slug as slug')
    .where('service_account.state', '<>', 'deleted')
    .orderBy('organization.slug')
    .orderBy('service_account.name'),
);

interface NewServiceAccount {
  readonly organization: string;
  readonly name: string;
  readonly role: string;
  readonly description: string;
}

/**
 * Makes an account without a key; `createKey` makes one. Throws ConfigError for invalid input, and NamedConflict when
 * the name is taken.
 */
export async function createServiceAccount(
  context: OperatorContext,
  { organization, ...given }: NewServiceAccount,
): Promise<ServiceAccount> {
  const account = checked(ServiceAccountCreate, given);
  const change = await changeWithin(context, organization);
  return change.transaction((tx) => addServiceAccount(change, tx, account));
}

/** All accounts, or those of one organization. */
export async function listServiceAccounts(
  context: OperatorContext,
  organization: string | undefined,
): Promise<ListedServiceAccount[]> {
  if (organization !== undefined) await changeWithin(context, organization);
  const rows = await context.change.db.all(listEveryServiceAccount);
  return rows
    .filter(({ slug }) => organization === undefined || slug === organization)
    .map(({ slug, ...row }) => ({ ...serviceAccountOf(row), organization: slug }));
}

/** Takes effect for all requests that begin after this resolves. Throws ConfigError when the account does not exist. */
export async function changeServiceAccount(
  context: OperatorContext,
  { name, organization }: { readonly name: string; readonly organization: string },
  verb: 'suspend' | 'resume' | 'remove',
): Promise<{ id: string; name: string; state: string }> {
  const change = await changeWithin(context, organization);
  const { id } = await findOwner(change.db, { serviceAccount: name, organization });
  if (verb === 'remove') {
    await deleteServiceAccount(change, id);
    return { id, name, state: 'deleted' };
  }
  const { state } = await setServiceAccountState(change, id, verb === 'suspend' ? 'suspended' : 'active');
  return { id, name, state };
}
