import type { Role } from '../../../identity/access/access.ts';
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import type { WorkspaceStanding } from '../arrive/workspace-role.ts';
import type { CapabilityView } from './policy.ts';

/** The outcome of the access decision for one request: the server, the actor and what the actor may use. */
export interface Admitted {
  readonly server: ServerFacts;
  readonly access: ServerAccess;
  readonly role: Role;
  readonly actorId: string;
  readonly view: CapabilityView;
  /** Of a built-in server: its workspace and the actor's role there. */
  readonly workspace: WorkspaceStanding | undefined;
}
