/**
 * Reads which server an address names, whose key was shown and what its owner may do there, in one statement for each
 * request. Nothing is kept: a revoke, a removal, a changed role or policy is in force for every request that begins after
 * its answer, on every replica. Requests that wait at the same moment and ask the same share one reading, which begins
 * after each of them has arrived.
 */
import { platformStatement } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Row } from '../database/tables.ts';
import type { AccessFacts, Actor, ActorState, OrganizationRole, Role } from '../identity/access.ts';
import { hashOfApiKey } from '../identity/api-keys.ts';
import { identifyKey } from '../identity/identify-caller.ts';
import type { ServerAddress } from './address.ts';

/** What the gateway needs of a server's row; the versions name what may be kept. */
export type ServerFacts = Pick<
  Row<'mcp_server'>,
  'id' | 'organization_id' | 'slug' | 'kind' | 'policy_version' | 'connection_version' | 'manifest_version'
> & {
  /** `platform`: the key decides. `none`: everything is passed on untouched. */
  readonly authentication: 'platform' | 'none';
};

export interface ServerAccess {
  /** Undefined when the address names no server. */
  readonly server: ServerFacts | undefined;
  readonly facts: AccessFacts;
  /** Set when the key is valid. */
  readonly actor: Actor | undefined;
  readonly organizationRole: OrganizationRole | null;
  readonly apiKeyId: string | undefined;
}

type AccessRow = ServerFacts & {
  readonly visibility: string;
  readonly default_role: Role | null;
  readonly key_id: string | null;
  readonly owner_type: Actor['type'];
  readonly owner_id: string;
  readonly actor_name: string | null;
  readonly actor_state: ActorState | null;
  readonly organization_role: OrganizationRole | null;
  readonly granted_role: Role | null;
};

const readAccess = platformStatement<{ organization: string; server: string; hash: string }, AccessRow>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('mcp_server', 'mcp_server.organization_id', 'organization.id')
      .leftJoin('api_key', (join) => join.on('api_key.hash', '=', given.hash).on('api_key.revoked_at', 'is', null))
      .leftJoin('user_account', (join) =>
        join.onRef('user_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'user'),
      )
      .leftJoin('service_account', (join) =>
        join.onRef('service_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'service_account'),
      )
      .leftJoin('membership', (join) =>
        join
          .onRef('membership.organization_id', '=', 'mcp_server.organization_id')
          .onRef('membership.user_id', '=', 'user_account.id'),
      )
      .leftJoin('resource_grant', (join) =>
        join
          .onRef('resource_grant.resource_id', '=', 'mcp_server.id')
          .onRef('resource_grant.actor_id', '=', 'api_key.owner_id'),
      )
      .where('organization.slug', '=', given.organization)
      .where('mcp_server.slug', '=', given.server)
      .select((eb) => [
        'mcp_server.id as id',
        'mcp_server.organization_id as organization_id',
        'mcp_server.slug as slug',
        'mcp_server.kind as kind',
        'mcp_server.authentication as authentication',
        'mcp_server.policy_version as policy_version',
        'mcp_server.connection_version as connection_version',
        'mcp_server.manifest_version as manifest_version',
        'mcp_server.visibility as visibility',
        'mcp_server.default_role as default_role',
        'api_key.id as key_id',
        'api_key.owner_type as owner_type',
        'api_key.owner_id as owner_id',
        eb.fn.coalesce('user_account.email', 'service_account.name').as('actor_name'),
        eb.fn.coalesce('user_account.state', 'service_account.state').as('actor_state'),
        eb
          .case()
          .when(eb.ref('service_account.organization_id'), '=', eb.ref('mcp_server.organization_id'))
          .then(eb.ref('service_account.role'))
          .else(eb.ref('membership.role'))
          .end()
          .as('organization_role'),
        'resource_grant.role as granted_role',
      ]) as never,
);

/** Of a text that is no key; no stored hash is empty. */
const NO_HASH = '';

export class ServerAccessReader {
  readonly #store: Store;
  #waiting = new Map<string, Promise<ServerAccess>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** `presented` is the text after `Bearer`; undefined when there was none. */
  read(address: ServerAddress, presented: string | undefined): Promise<ServerAccess> {
    const question = `${address.organization}/${address.server} ${presented ?? ''}`;
    let answer = this.#waiting.get(question);
    if (!answer) {
      if (this.#waiting.size === 0) setImmediate(() => this.#begin());
      answer = new Promise((resolve, reject) => {
        this.#asks.push(() => this.#ask(address, presented).then(resolve, reject));
      });
      this.#waiting.set(question, answer);
    }
    return answer;
  }

  #asks: (() => void)[] = [];

  /** Whoever arrives from now on waits for the next reading. */
  #begin(): void {
    const asks = this.#asks;
    this.#asks = [];
    this.#waiting = new Map();
    for (const ask of asks) ask();
  }

  async #ask({ organization, server }: ServerAddress, presented: string | undefined): Promise<ServerAccess> {
    const hash = presented === undefined ? undefined : hashOfApiKey(presented);
    const db = this.#store.reads(0);
    const row = await db.first(readAccess, { organization, server, hash: hash ?? NO_HASH });
    if (row) return accessOf(row);
    // 401 comes before 404: whether the key is good counts, though there is no server.
    const caller = presented === undefined ? undefined : await identifyKey(db, presented);
    return {
      server: undefined,
      facts: { ...nobody, credential: caller ? 'valid' : 'invalid', actorState: caller?.state ?? 'active' },
      actor: caller?.actor,
      organizationRole: null,
      apiKeyId: caller?.apiKeyId,
    };
  }
}

const nobody: AccessFacts = {
  credential: 'invalid',
  actorState: 'active',
  resource: undefined,
  organizationRole: null,
  grant: null,
};

function accessOf(row: AccessRow): ServerAccess {
  const { key_id, owner_type, owner_id, actor_name, actor_state, organization_role, granted_role } = row;
  const resource = {
    defaultRole: row.default_role,
    visibility: row.visibility === 'concealed' ? 'concealed' : 'discoverable',
  } as const;
  if (key_id === null) {
    return {
      server: row,
      facts: { ...nobody, resource },
      actor: undefined,
      organizationRole: null,
      apiKeyId: undefined,
    };
  }
  return {
    server: row,
    facts: {
      credential: 'valid',
      actorState: actor_state ?? 'deleted',
      resource,
      organizationRole: organization_role,
      grant: granted_role,
    },
    actor: { type: owner_type, id: owner_id, name: actor_name ?? '' },
    organizationRole: organization_role,
    apiKeyId: key_id,
  };
}
