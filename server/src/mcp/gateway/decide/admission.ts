/** Decides whether a caller may use a server at all, and which of its capabilities. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../../config.ts';
import type { Store } from '../../../database/store.ts';
import { type Actor, decide, type Role } from '../../../identity/access/access.ts';
import { refusalOf } from '../arrive/challenge.ts';
import { NO_WORKSPACE_ROLE, NOT_FOUND, type Refusal } from '../arrive/refusals.ts';
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import { readWorkspaceStanding } from '../arrive/workspace-role.ts';
import type { Admitted } from './admitted.ts';
import type { Policies } from './policies.ts';

/**
 * `reason` is for the record. `denied` is true if the caller was refused, and false if the address only does not exist.
 */
export type Admission =
  | { readonly reason: string; readonly admitted: Admitted }
  | { readonly reason: string; readonly denied: boolean; readonly refusal: Refusal };

export class Admissions {
  readonly #store: Store;
  readonly #policies: Policies;
  readonly #config: Config;

  constructor(store: Store, policies: Policies, config: Config) {
    this.#store = store;
    this.#policies = policies;
    this.#config = config;
  }

  /** Returns synchronously if no query is needed. */
  decide(request: IncomingMessage, access: ServerAccess): Admission | Promise<Admission> {
    const decision = decide(access.facts, 'viewer');
    const { reason } = decision;
    if (!decision.allowed) {
      return { reason, denied: true, refusal: refusalOf(decision, this.#config, request, access.server) };
    }
    const { server, actor } = access;
    if (!server || !actor) return { reason, denied: false, refusal: NOT_FOUND };
    const { role } = decision;
    if (server.kind === 'builtin') return this.#inWorkspace(access, { server, actor, role, reason });
    const caller = { server, access, role, actorId: actor.id, workspace: undefined };
    const policy = this.#policies.policyOf(server);
    if (policy instanceof Promise) {
      return policy.then((read) => ({ reason, admitted: { ...caller, view: read.viewOf(actor.id, role) } }));
    }
    return { reason, admitted: { ...caller, view: policy.viewOf(actor.id, role) } };
  }

  /** A caller of a built-in server also needs a role in its workspace. */
  async #inWorkspace(
    access: ServerAccess,
    { server, actor, role, reason }: { server: ServerFacts; actor: Actor; role: Role; reason: string },
  ): Promise<Admission> {
    const workspace = await readWorkspaceStanding(this.#store, access);
    if (!workspace) return { reason: 'no role in the workspace', denied: true, refusal: NO_WORKSPACE_ROLE };
    const view = (await this.#policies.policyOf(server)).viewOf(actor.id, role);
    return { reason, admitted: { server, access, role, actorId: actor.id, view, workspace } };
  }
}
