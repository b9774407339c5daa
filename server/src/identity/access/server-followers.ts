/**
 * Decides about which MCP servers a stream may send changes: those that its reader may edit. The records of requests
 * have the same rule.
 */

import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Clock } from '../../values/time.ts';
import { ageRefusal } from '../keys/key-end.ts';
import { type Actor, type ActorState, isAtLeast, type Role, roleOf } from './access.ts';
import { ofActor, places, type Roles } from './standing.ts';

interface RolesRow extends Roles {
  readonly default_role: Role | null;
  readonly state: ActorState | null;
  readonly max_key_age_days: number | null;
}

const findRoles = platformStatement<{ server_id: string; actor_id: string }, RolesRow>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .innerJoin('organization', 'organization.id', 'mcp_server.organization_id')
      .$call(ofActor.at(given.actor_id, places.server))
      .leftJoin('user_account', 'user_account.id', 'membership.user_id')
      .where('mcp_server.id', '=', given.server_id)
      .select((eb) => [
        'mcp_server.default_role as default_role',
        'organization.max_key_age_days as max_key_age_days',
        ...ofActor.roles,
        eb.fn.coalesce('user_account.state', 'service_account.state').as('state'),
      ]) as never,
);

/** An answer is kept for this long, so that a busy server costs a stream one query in this time. */
const KEPT_MILLISECONDS = 10_000;
/** Answers that a stream keeps. */
const MOST_KEPT = 1000;

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
}

export class FollowedServers {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #findReader: () => Promise<Actor | undefined>;
  readonly #answers = new BoundedMap<string, { readonly until: number; readonly answer: Promise<boolean> }>({
    name: 'followed servers',
    most: MOST_KEPT,
  });

  /** `findReader` returns the reader of the stream, or undefined. It runs again for each query. */
  constructor({ store, clock }: Parts, findReader: () => Promise<Actor | undefined>) {
    this.#store = store;
    this.#clock = clock;
    this.#findReader = findReader;
  }

  /** Also false when the database does not answer. */
  async mayFollow(serverId: string): Promise<boolean> {
    const now = performance.now();
    const known = this.#answers.get(serverId);
    if (known && known.until > now) return known.answer;
    const answer = this.#read(serverId).catch(() => false);
    this.#answers.set(serverId, { until: now + KEPT_MILLISECONDS, answer });
    return answer;
  }

  async #read(serverId: string): Promise<boolean> {
    const reader = await this.#findReader();
    if (!reader) return false;
    const row = await this.#store.platform.reads().first(findRoles, { server_id: serverId, actor_id: reader.id });
    if (!row || ageRefusal(reader.keyCreated, row.max_key_age_days, this.#clock.now())) return false;
    const { role } = roleOf({
      actorState: row.state ?? 'deleted',
      resource: { defaultRole: row.default_role, visibility: 'concealed' },
      organizationRole: row.organization_role,
      grant: row.granted_role,
    });
    return role !== null && isAtLeast(role, 'editor');
  }
}
