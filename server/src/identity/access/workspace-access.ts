/**
 * Reads, in one statement, the owner of a key and the owner's rights in a workspace. The row is kept until
 * access has changed (`database/kept-facts.ts`): a revoke, a removal or a changed role applies to every request that
 * begins after its answer, on every replica. Each request judges the end of a key by the clock.
 */
import { KeptFacts } from '../../database/kept-facts.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { hashOfApiKey } from '../keys/api-keys.ts';
import type { AccessFacts, Actor, Role } from './access.ts';
import {
  actorOfKey,
  factsOfKeyOwner,
  isExpired,
  type KeyAgeRow,
  type KeyOwnerRow,
  keyOwner,
  nextEndOf,
  nobody,
} from './key-owner.ts';
import { ofOwner, owner, places, type Roles } from './standing.ts';
import { type Way, type WorkspaceAddress, type WorkspaceNames, wayTo, workspaceBy } from './workspace-address.ts';

interface WorkspaceAccess {
  readonly facts: AccessFacts;
  /** Set when the key is valid. */
  readonly actor: Actor | undefined;
  readonly apiKeyId: string | undefined;
  /** Time at which the facts change without a write to the database; undefined when there is none. */
  readonly endsAt: Timestamp | undefined;
  /** Key of the workspace, when the address maps to one. */
  readonly workspace: number | undefined;
}

interface AccessRow extends KeyOwnerRow, Roles, KeyAgeRow {
  readonly workspace_key: number | null;
  readonly default_role: Role | null;
}

const readAccess = (way: Way) =>
  platformStatement<WorkspaceNames & { hash: string }, AccessRow>(
    (query, given) =>
      query
        .selectFrom('api_key')
        .$call(owner)
        .leftJoin('workspace', workspaceBy(way, given))
        .leftJoin('organization', 'organization.id', 'workspace.organization_id')
        .$call(ofOwner.at(places.workspace))
        .where('api_key.hash', '=', given.hash)
        .where('api_key.revoked_at', 'is', null)
        .select(keyOwner)
        .select(['workspace.key as workspace_key', 'workspace.default_role as default_role'])
        .select('organization.max_key_age_days as max_key_age_days')
        .select(ofOwner.roles(places.workspace)) as never,
  );
const readAccessBy = { key: readAccess('key'), ids: readAccess('ids'), slugs: readAccess('slugs') };

export class WorkspaceAccessReader {
  readonly #store: Store;
  readonly #kept: KeptFacts<AccessRow>;

  constructor(store: Store) {
    this.#store = store;
    this.#kept = new KeptFacts(store.accessLook, 'access to workspaces');
  }

  /** `presented` is the text after `Bearer`; undefined when the request has none. */
  async read(presented: string | undefined, address: WorkspaceAddress, now: Timestamp): Promise<WorkspaceAccess> {
    const hash = presented === undefined ? undefined : hashOfApiKey(presented);
    return accessOf(hash === undefined ? undefined : await this.#find(hash, address), now);
  }

  /** The key is looked up also for an address that maps to nothing, because 401 comes before 404. */
  async #find(hash: string, address: WorkspaceAddress): Promise<AccessRow | undefined> {
    const { way, names } = wayTo(address);
    const question = JSON.stringify([hash, names]);
    this.#kept.look();
    const kept = this.#kept.find(question);
    if (kept) return kept;
    const { epoch } = this.#kept;
    const row = await this.#store.platform.reads().first(readAccessBy[way], { hash, ...names });
    // A workspace that is made later does not count as a change of access. One that the caller may not know of is read
    // each time too, so that the time of an answer does not tell the two apart.
    if (row && row.workspace_key !== null && mayKnow(row)) this.#kept.keep(question, row, epoch);
    return row;
  }
}

function mayKnow({ organization_role, granted_role }: Roles): boolean {
  return organization_role !== null || granted_role !== null;
}

function accessOf(row: AccessRow | undefined, now: Timestamp): WorkspaceAccess {
  const unknown = { actor: undefined, apiKeyId: undefined, workspace: undefined, endsAt: undefined };
  if (!row) return { facts: nobody, ...unknown };
  const resource = { defaultRole: row.default_role, visibility: 'members' } as const;
  const facts = factsOfKeyOwner(row, row.workspace_key === null ? undefined : resource, now);
  if (isExpired(row, now)) return { facts, ...unknown };
  return {
    facts,
    actor: actorOfKey(row),
    apiKeyId: row.key_id,
    workspace: row.workspace_key ?? undefined,
    endsAt: nextEndOf(row, now),
  };
}
