import type { Role } from '../../../identity/access/access.ts';
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import type { WorkspaceStanding } from '../arrive/workspace-role.ts';
import type { CapabilityView } from './policy.ts';

/**
 * The result of the access decision for one request: the server, the actor and the capabilities that the actor may use.
 */
export interface Admitted {
  readonly server: ServerFacts;
  readonly access: ServerAccess;
  readonly role: Role;
  readonly actorId: string;
  readonly view: CapabilityView;
  /** For a built-in server: its workspace and the actor's role there. */
  readonly workspace: WorkspaceStanding | undefined;
}
