/** Queries and changes of the pages of people. `org` is the id or slug of an organization. */
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import { platformRead as read } from '../api/read.ts';
import type { RollForm } from '../keys/roll-key-dialog.tsx';

export type Member = components['schemas']['Member'];
export type Invitation = components['schemas']['Invitation'];
export type ServiceAccount = components['schemas']['ServiceAccount'];
export type OrganizationRole = components['schemas']['OrganizationRole'];

export const organizationRoles: readonly (readonly [OrganizationRole, string])[] = [
  ['member', 'Member'],
  ['admin', 'Administrator'],
];

/** `name` is a part of a name or of an address. */
export const membersQuery = (org: string, name?: string) =>
  read.list('/organizations/{org}/members', { params: { path: { org }, query: { name: name || undefined } } });

export const changeMember = (org: string, userId: string, role: OrganizationRole) =>
  answered(
    platform.PATCH('/organizations/{org}/members/{userId}', { params: { path: { org, userId } }, body: { role } }),
  );

export const removeMember = (org: string, userId: string) =>
  answered(platform.DELETE('/organizations/{org}/members/{userId}', { params: { path: { org, userId } } }));

/** Only operators may act on the account of a person, in all organizations at once. */
export type AccountAction = 'suspend' | 'reactivate' | 'unlink';

export const changeAccount = (userId: string, action: AccountAction) =>
  answered(platform.POST(`/users/{userId}/${action}`, { params: { path: { userId } } }));

export const invitationsQuery = (org: string) =>
  read.list('/organizations/{org}/invitations', { params: { path: { org } } });

export type CreatedInvitation = Awaited<ReturnType<typeof invite>>;

export const invite = (org: string, email: string, role: OrganizationRole) =>
  answered(platform.POST('/organizations/{org}/invitations', { params: { path: { org } }, body: { email, role } }));

export const revokeInvitation = (org: string, id: string) =>
  answered(platform.DELETE('/organizations/{org}/invitations/{id}', { params: { path: { org, id } } }));

export const serviceAccountsQuery = (org: string) =>
  read.list('/organizations/{org}/service-accounts', { params: { path: { org } } });

export const serviceAccountQuery = (org: string, id: string) =>
  read.one('/organizations/{org}/service-accounts/{id}', { params: { path: { org, id } } });

export interface ServiceAccountForm {
  readonly name: string;
  readonly description: string;
  readonly role: OrganizationRole;
}

/** Returns the account with its first key. */
export const createServiceAccount = (org: string, form: ServiceAccountForm) =>
  answered(platform.POST('/organizations/{org}/service-accounts', { params: { path: { org } }, body: form }));

export const updateServiceAccount = (org: string, id: string, form: ServiceAccountForm) =>
  answered(platform.PATCH('/organizations/{org}/service-accounts/{id}', { params: { path: { org, id } }, body: form }));

export const deleteServiceAccount = (org: string, id: string) =>
  answered(platform.DELETE('/organizations/{org}/service-accounts/{id}', { params: { path: { org, id } } }));

export const suspendServiceAccount = (org: string, id: string) =>
  answered(platform.POST('/organizations/{org}/service-accounts/{id}/suspend', { params: { path: { org, id } } }));

export const resumeServiceAccount = (org: string, id: string) =>
  answered(platform.POST('/organizations/{org}/service-accounts/{id}/resume', { params: { path: { org, id } } }));

export const serviceAccountKeysQuery = (org: string, id: string) =>
  read.list('/organizations/{org}/service-accounts/{id}/api-keys', { params: { path: { org, id } } });

export type OrganizationKey = components['schemas']['OrganizationApiKey'];
export type KeyFilter = components['schemas']['ApiKeyFilter'];

export const organizationKeysQuery = (org: string, filter: KeyFilter) =>
  read.list('/organizations/{org}/api-keys', { params: { path: { org }, query: { filter } } });

export const setMaxKeyAge = (org: string, maxKeyAgeDays: number | null) =>
  answered(platform.PATCH('/organizations/{org}', { params: { path: { org } }, body: { maxKeyAgeDays } }));

export const rollServiceAccountKey = (org: string, id: string, keyId: string, form: RollForm) =>
  answered(
    platform.POST('/organizations/{org}/service-accounts/{id}/api-keys/{keyId}/roll', {
      params: { path: { org, id, keyId } },
      body: form,
    }),
  );

export const createServiceAccountKey = (org: string, id: string, descriptor: string, expiresAt: string | null) =>
  answered(
    platform.POST('/organizations/{org}/service-accounts/{id}/api-keys', {
      params: { path: { org, id } },
      body: { descriptor, expiresAt },
    }),
  );

export const revokeServiceAccountKey = (org: string, id: string, keyId: string) =>
  answered(
    platform.DELETE('/organizations/{org}/service-accounts/{id}/api-keys/{keyId}', {
      params: { path: { org, id, keyId } },
    }),
  );
