import { actorOf, type PlatformContext } from '../../../context/platform-context.ts';
import type { KeyOwner } from '../api-keys/operations.ts';

/** The audit of personal keys belongs to no organization, that of a service account's keys to the account's own. */
export function ownerOf(context: PlatformContext): KeyOwner {
  const { type, id } = actorOf(context);
  return { type, id, organizationId: null };
}
