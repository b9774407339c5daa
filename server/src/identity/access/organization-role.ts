/** Reads an actor's role in `organization` within a statement: from a user's membership or from the service account. */
import { expressionBuilder, type JoinBuilder } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';

type Joined = 'organization' | 'membership' | 'service_account';
type Join = JoinBuilder<Tables, Joined>;

/** Join `membership` and `service_account` to `organization`; one of the two, or neither, is the actor's. */
export const membershipOf = (actorId: string) => (join: Join) =>
  join.onRef('membership.organization_id', '=', 'organization.id').on('membership.user_id', '=', actorId);
export const serviceAccountOf = (actorId: string) => (join: Join) =>
  join.onRef('service_account.organization_id', '=', 'organization.id').on('service_account.id', '=', actorId);

/** Null for those who are not members. */
export const roleInOrganization = expressionBuilder<Tables, Joined>().fn.coalesce(
  'membership.role',
  'service_account.role',
);
