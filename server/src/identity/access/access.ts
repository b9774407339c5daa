/**
 * The one decision of both surfaces: may this credential's owner do this here, now. A pure function over facts that were
 * read for the request, so it can be tested over all of them and never acts on what was true earlier.
 *
 * The role on a resource is the first that applies: not a member, suspended or deleted: none; administrator of the
 * organization: `admin`; an explicit grant: its role, even when it is lower than the default; the default role of the
 * resource; otherwise none.
 */
import type { Timestamp } from '../../values/time.ts';
import { KEY_EXPIRED } from '../keys/key-end.ts';

export type Role = 'viewer' | 'editor' | 'admin';
export type OrganizationRole = 'member' | 'admin';
export type ActorType = 'user' | 'service_account';
export type ActorState = 'active' | 'suspended' | 'deleted';

export const ROLES = ['viewer', 'editor', 'admin'] as const satisfies readonly Role[];
export const ORGANIZATION_ROLES = ['member', 'admin'] as const satisfies readonly OrganizationRole[];

export interface Actor {
  readonly type: ActorType;
  readonly id: string;
  /** The address of a user or the name of a service account. The audit and pages show it; no decision uses it. */
  readonly name: string;
  /** Time at which the actor's key was made. An organization may refuse a key by its age. */
  readonly keyCreated?: Timestamp;
}

export interface ResourceFacts {
  readonly defaultRole: Role | null;
  /**
   * Decides to which callers without access the resource is visible: to anyone with a credential (`discoverable`), to
   * members of the organization (`members`, as for workspaces), or to no one (`concealed`). For all others its address
   * maps to nothing.
   */
  readonly visibility: 'discoverable' | 'members' | 'concealed';
}

export interface AccessFacts {
  /** `invalid` covers a key that is missing, malformed, unknown or revoked. No answer distinguishes these four. */
  readonly credential: 'invalid' | 'expired' | 'valid';
  readonly actorState: ActorState;
  /** Undefined when the address maps to nothing. */
  readonly resource: ResourceFacts | undefined;
  /** The actor's role in the organization that owns the resource; null for those who are not members. */
  readonly organizationRole: OrganizationRole | null;
  readonly grant: Role | null;
  /** The reason why the organization does not accept the key, as a sentence for its owner: the key is too old there. */
  readonly keyRefusal?: string | undefined;
}

/** `says` is a sentence for the caller, for a refusal that needs more than the status. */
type Decision =
  | { readonly allowed: true; readonly role: Role; readonly reason: string }
  | {
      readonly allowed: false;
      readonly status: 401 | 403 | 404;
      readonly reason: string;
      readonly says?: string | undefined;
      /** The role that is too low; null for an actor without one. */
      readonly role: Role | null;
    };

/** Returns the role that the facts give, and the reason, for the log. */
export function roleOf(facts: Omit<AccessFacts, 'credential'>): { role: Role | null; reason: string } {
  if (facts.actorState !== 'active') return { role: null, reason: `the actor is ${facts.actorState}` };
  if (facts.organizationRole === null) return { role: null, reason: 'not a member of the organization' };
  if (facts.organizationRole === 'admin') return { role: 'admin', reason: 'administrator of the organization' };
  if (facts.grant) return { role: facts.grant, reason: 'explicit grant' };
  const fallback = facts.resource?.defaultRole;
  return fallback ? { role: fallback, reason: 'default role' } : { role: null, reason: 'no grant and no default role' };
}

/**
 * 401 comes first, so that a caller without a credential does not learn what exists. 404 follows, for an address that
 * maps to nothing or is hidden from this actor; then 403.
 */
export function decide(facts: AccessFacts, required: Role): Decision {
  if (facts.credential === 'invalid') return { allowed: false, status: 401, reason: 'no valid credential', role: null };
  if (facts.credential === 'expired') {
    return { allowed: false, status: 401, reason: 'the key has expired', says: KEY_EXPIRED, role: null };
  }
  if (!facts.resource) return { allowed: false, status: 404, reason: 'maps to nothing', role: null };
  const { role, reason } = roleOf(facts);
  if (role === null) {
    const { visibility } = facts.resource;
    const hidden = visibility === 'concealed' || (visibility === 'members' && facts.organizationRole === null);
    return { allowed: false, status: hidden ? 404 : 403, reason, role };
  }
  // The callers who get here have a role, so they know the organization and may read why it refuses the key.
  if (facts.keyRefusal !== undefined) {
    const reason = 'the key is too old for the organization';
    return { allowed: false, status: 403, reason, says: facts.keyRefusal, role };
  }
  if (!isAtLeast(role, required))
    return { allowed: false, status: 403, reason: `${reason}: ${role}, needs ${required}`, role };
  return { allowed: true, role, reason };
}

/**
 * Decides whether an actor may act within an organization. An organization of others and one that does not exist get
 * the same refusal, so that callers cannot find out which exist.
 */
export function decideInOrganization<Found extends { readonly role: OrganizationRole | null }>(
  found: Found | undefined,
  required: OrganizationRole,
): OrganizationDecision<Found> {
  if (!found || found.role === null) return { allowed: false, reason: 'You are not a member of this organization.' };
  const { role } = found;
  if (required === 'admin' && role !== 'admin') {
    return { allowed: false, reason: 'Only administrators of the organization may do this.' };
  }
  return { allowed: true, organization: { ...found, role } };
}

type OrganizationDecision<Found> =
  | { readonly allowed: true; readonly organization: Found & { readonly role: OrganizationRole } }
  | { readonly allowed: false; readonly reason: string };

export function isAtLeast(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}
