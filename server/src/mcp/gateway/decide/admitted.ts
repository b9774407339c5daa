import type { Role } from '../../../identity/access.ts';
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import type { CapabilityView } from './policy.ts';

/** Who may use a server, and what of it: the outcome of the access decision for one request. */
export interface Admitted {
  readonly server: ServerFacts;
  readonly access: ServerAccess;
  readonly role: Role;
  readonly actorId: string;
  readonly view: CapabilityView;
}
