import { actorOf, type PlatformContext } from '../../../context/platform-context.ts';
import type { KeyOwner } from '../api-keys/operations.ts';

/** The audit of personal keys belongs to no organization, and that of a service account's to its own. */
export function ownerOf(context: PlatformContext): KeyOwner {
  const { type, id } = actorOf(context);
  return { type, id, organizationId: null };
}
