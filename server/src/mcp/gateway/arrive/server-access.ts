/**
 * Reads the server that an address names, the owner of the key and the owner's rights there, in one statement for each
 * request. Nothing is cached: a revoke, a removal, a changed role or policy applies to every request that begins after
 * its answer, on every replica. Requests that ask the same at the same moment share one reading, which begins after
 * each of them has arrived.
 */
import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import type { AccessFacts, Actor, OrganizationRole, Role } from '../../../identity/access.ts';
import { hashOfApiKey } from '../../../identity/api-keys.ts';
import { identifyKey } from '../../../identity/identify-caller.ts';
import {
  actorOfKey,
  factsOfKeyOwner,
  grantFor,
  type KeyOwnerRow,
  keyOwner,
  membershipFor,
  nobody,
  type OwnerRolesRow,
  owningServiceAccount,
  owningUser,
  rolesIn,
} from '../../../identity/key-owner.ts';
import type { ServerAddress } from './address.ts';

/** The part of a server's row that the gateway needs; caches use the versions as keys. */
export type ServerFacts = Pick<
  Row<'mcp_server'>,
  'id' | 'organization_id' | 'slug' | 'kind' | 'policy_version' | 'connection_version' | 'manifest_version'
> & {
  /** `platform`: the key decides. `none`: everything is passed on untouched. */
  readonly authentication: 'platform' | 'none';
  /** How a name is answered that the policy denies. */
  readonly denied_as: 'forbidden' | 'unknown';
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

/** The key is null where none was shown or it is not valid. */
type AccessRow = ServerFacts &
  OwnerRolesRow & {
    readonly visibility: string;
    readonly default_role: Role | null;
  } & (KeyOwnerRow | { readonly key_id: null });

const readAccess = platformStatement<{ organization: string; server: string; hash: string }, AccessRow>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('mcp_server', 'mcp_server.organization_id', 'organization.id')
      .leftJoin('api_key', (join) => join.on('api_key.hash', '=', given.hash).on('api_key.revoked_at', 'is', null))
      .leftJoin('user_account', owningUser)
      .leftJoin('service_account', owningServiceAccount)
      .leftJoin('membership', membershipFor('mcp_server'))
      .leftJoin('resource_grant', grantFor('mcp_server'))
      .where('organization.slug', '=', given.organization)
      .where('mcp_server.slug', '=', given.server)
      .select([
        'mcp_server.id as id',
        'mcp_server.organization_id as organization_id',
        'mcp_server.slug as slug',
        'mcp_server.kind as kind',
        'mcp_server.authentication as authentication',
        'mcp_server.denied_as as denied_as',
        'mcp_server.policy_version as policy_version',
        'mcp_server.connection_version as connection_version',
        'mcp_server.manifest_version as manifest_version',
        'mcp_server.visibility as visibility',
        'mcp_server.default_role as default_role',
      ])
      .select(keyOwner)
      .select(rolesIn('mcp_server')) as never,
);

/** The hash of a text that is not a key. It matches no stored hash, because none is empty. */
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

  /** Requests that arrive from now on wait for the next reading. */
  #begin(): void {
    const asks = this.#asks;
    this.#asks = [];
    this.#waiting = new Map();
    for (const ask of asks) ask();
  }

  async #ask({ organization, server }: ServerAddress, presented: string | undefined): Promise<ServerAccess> {
    const hash = presented === undefined ? undefined : hashOfApiKey(presented);
    const db = this.#store.platform.reads();
    const row = await db.first(readAccess, { organization, server, hash: hash ?? NO_HASH });
    if (row) return accessOf(row);
    // 401 comes before 404, so the key is checked although the server does not exist.
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

function accessOf(row: AccessRow): ServerAccess {
  const resource = {
    defaultRole: row.default_role,
    visibility: row.visibility === 'concealed' ? 'concealed' : 'discoverable',
  } as const;
  if (row.key_id === null) {
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
    facts: factsOfKeyOwner(row, resource),
    actor: actorOfKey(row),
    organizationRole: row.organization_role,
    apiKeyId: row.key_id,
  };
}
