/**
 * Reads the server that an address names, the owner of the key and the owner's rights there, in one statement. A
 * revoke, a removal, a changed role or policy applies to every request that begins after its answer, on every replica:
 * requests share a query only if it begins after all of them have arrived, and the facts about the owner of a key are
 * kept until access has changed (`database/kept-facts.ts`) or the key ends. A token and a session are read each time.
 */
import { KeptFacts } from '../../../database/kept-facts.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import type {
  AccessFacts,
  Actor,
  ActorState,
  OrganizationRole,
  ResourceFacts,
  Role,
} from '../../../identity/access/access.ts';
import {
  actorOfKey,
  factsOfKeyOwner,
  isExpired,
  type KeyAgeRow,
  type KeyOwnerRow,
  keyOwner,
  nextEndOf,
  nobody,
} from '../../../identity/access/key-owner.ts';
import type { OpenThings } from '../../../identity/access/open-things.ts';
import { ofOwner, ofPerson, owner, places, type Roles } from '../../../identity/access/standing.ts';
import { identifyKey } from '../../../identity/callers/identify-caller.ts';
import { hashOfApiKey } from '../../../identity/keys/api-keys.ts';
import type { Clock, Timestamp } from '../../../values/time.ts';
import type { AccessQuestion } from './access-question.ts';
import type { ServerAddress } from './address.ts';

/** The columns of a server's row that the gateway needs; caches use the versions as keys. */
export type ServerFacts = Pick<
  Row<'mcp_server'>,
  | 'id'
  | 'organization_id'
  | 'slug'
  | 'kind'
  | 'policy_version'
  | 'connection_version'
  | 'manifest_version'
  | 'personal_credential'
  | 'limits'
> & {
  /**
   * `platform`: a key, or a token of a client that a person signed in, decides. `keys`: only a key does. `none`:
   * everything is forwarded untouched.
   */
  readonly authentication: 'platform' | 'keys' | 'none';
  /** The kind of answer to a name that the policy denies. */
  readonly denied_as: 'forbidden' | 'unknown';
};

export interface ServerAccess {
  /** Undefined when the address is not of a server. */
  readonly server: ServerFacts | undefined;
  readonly facts: AccessFacts;
  /** Set when the key is valid. */
  readonly actor: Actor | undefined;
  readonly organizationRole: OrganizationRole | null;
  readonly apiKeyId: string | undefined;
  /** The client that a person signed in, if it calls on behalf of the person. */
  readonly connection: ClientConnection | undefined;
  /** Time at which the access ends without a write to the database; undefined when it does not. */
  readonly endsAt: Timestamp | undefined;
}

interface ClientConnection {
  readonly id: string;
  /** The scopes that the person granted to the client, separated by spaces. */
  readonly scope: string;
}

/** The key is null if none was presented or if it is not valid. */
type AccessRow = ServerFacts &
  Roles &
  KeyAgeRow & {
    readonly visibility: string;
    readonly default_role: Role | null;
  } & (KeyOwnerRow | { readonly key_id: null });

const serverColumns = [
  'mcp_server.id as id',
  'mcp_server.organization_id as organization_id',
  'mcp_server.slug as slug',
  'mcp_server.kind as kind',
  'mcp_server.authentication as authentication',
  'mcp_server.denied_as as denied_as',
  'mcp_server.policy_version as policy_version',
  'mcp_server.connection_version as connection_version',
  'mcp_server.manifest_version as manifest_version',
  'mcp_server.personal_credential as personal_credential',
  'mcp_server.limits as limits',
  'mcp_server.visibility as visibility',
  'mcp_server.default_role as default_role',
] as const;

const readAccess = platformStatement<{ organization: string; server: string; hash: string }, AccessRow>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('mcp_server', 'mcp_server.organization_id', 'organization.id')
      .leftJoin('api_key', (join) => join.on('api_key.hash', '=', given.hash).on('api_key.revoked_at', 'is', null))
      .$call(owner)
      .$call(ofOwner.at(places.server))
      .where('organization.slug', '=', given.organization)
      .where('mcp_server.slug', '=', given.server)
      .select(serverColumns)
      .select('organization.max_key_age_days as max_key_age_days')
      .select(keyOwner)
      .select(ofOwner.roles(places.server)) as never,
);

/** The person is null if the session is unknown or has expired. */
type SessionRow = ServerFacts &
  Roles & {
    readonly visibility: string;
    readonly default_role: Role | null;
    readonly user_id: string | null;
    readonly email: string | null;
    readonly state: ActorState | null;
    /** Time at which the session or the token expires. */
    readonly ends_at: Timestamp | null;
  };

const userRoles = [
  'user_account.id as user_id',
  'user_account.email as email',
  'user_account.state as state',
  ...ofPerson.roles,
] as const;

const readSessionAccess = platformStatement<
  { organization: string; server: string; session: string; now: Timestamp },
  SessionRow
>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('mcp_server', 'mcp_server.organization_id', 'organization.id')
      .leftJoin('session', (join) => join.on('session.id', '=', given.session).on('session.expires_at', '>', given.now))
      .leftJoin('user_account', 'user_account.id', 'session.user_id')
      .$call(ofPerson.at(places.server))
      .where('organization.slug', '=', given.organization)
      .where('mcp_server.slug', '=', given.server)
      .select(serverColumns)
      .select(userRoles)
      .select('session.expires_at as ends_at') as never,
);

type TokenRow = SessionRow & {
  readonly connection_id: string | null;
  readonly scope: string | null;
};

/** A token is for one server: at another server it is unknown, like any text. */
const readTokenAccess = platformStatement<
  { organization: string; server: string; hash: string; now: Timestamp },
  TokenRow
>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('mcp_server', 'mcp_server.organization_id', 'organization.id')
      .leftJoin('oauth_token', (join) =>
        join
          .on('oauth_token.hash', '=', given.hash)
          .on('oauth_token.kind', '=', 'AccessToken')
          .on('oauth_token.expires_at', '>', given.now)
          .on('mcp_server.authentication', '=', 'platform'),
      )
      .leftJoin('oauth_connection', (join) =>
        join
          .onRef('oauth_connection.id', '=', 'oauth_token.connection_id')
          .onRef('oauth_connection.server_id', '=', 'mcp_server.id')
          .on('oauth_connection.expires_at', '>', given.now),
      )
      .leftJoin('user_account', 'user_account.id', 'oauth_connection.user_id')
      .$call(ofPerson.at(places.server))
      .where('organization.slug', '=', given.organization)
      .where('mcp_server.slug', '=', given.server)
      .select(serverColumns)
      .select(userRoles)
      .select([
        'oauth_connection.id as connection_id',
        'oauth_token.scope as scope',
        'oauth_token.expires_at as ends_at',
      ]) as never,
);

/** The hash of a text that is not a key. It matches no stored hash, because none is empty. */
const NO_HASH = '';
/** A token of a client that a person signed in: 43 characters that are not a key. */
const TOKEN = /^[\w-]{43}$/;

/** A request that waits for the end of the turn in which it arrived. */
interface Waiting {
  readonly question: AccessQuestion;
  readonly known: (access: ServerAccess) => void;
  readonly failed: (error: unknown) => void;
}

interface AccessParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly openThings: OpenThings;
}

export class ServerAccessReader {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #openThings: OpenThings;
  readonly #kept: KeptFacts<ServerAccess>;
  /** Requests of this turn of the event loop that wait for its query. */
  #waiting: Waiting[] = [];
  #arrived = 0;
  /** True if several requests arrived in the last turn that had any. */
  #isBusy = false;

  constructor({ store, clock, openThings }: AccessParts) {
    this.#store = store;
    this.#clock = clock;
    this.#openThings = openThings;
    this.#kept = new KeptFacts(store.accessLook, 'access');
  }

  /**
   * Calls one of the two after the head and the bytes that came with it have been read. When requests come together, those of one
   * turn of the event loop share a check at its end, and continue together; a single one continues at once.
   */
  read(question: AccessQuestion, known: Waiting['known'], failed: Waiting['failed']): void {
    const waiting = { question, known, failed };
    this.#arrived += 1;
    if (this.#arrived === 1) setImmediate(this.#endTurn);
    if (this.#arrived === 1 && !this.#isBusy) process.nextTick(this.#answerLonely, waiting);
    else this.#waiting.push(waiting);
  }

  #answerLonely = (waiting: Waiting): void => this.#answer([waiting]);

  /** Like `read`, for the browser session of a person; `cookie` is the value of the session's cookie. */
  async readSession({ organization, server }: ServerAddress, cookie: string): Promise<ServerAccess> {
    const session = hashOfSecret(cookie);
    const now = this.#clock.now();
    const row = await this.#store.platform.reads().first(readSessionAccess, { organization, server, session, now });
    return row ? this.#noted(accessOfSession(row)) : { ...unknownCaller, server: undefined };
  }

  /** Registers the end of the access, at which open streams are checked. */
  #noted(access: ServerAccess): ServerAccess {
    this.#openThings.noteEnd(access.endsAt);
    return access;
  }

  /** Requests that arrive from now on wait for the next query. */
  #endTurn = (): void => {
    this.#isBusy = this.#arrived > 1;
    this.#arrived = 0;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#answer(waiting);
  };

  /** Answers equal questions with one query. */
  #answer(waiting: readonly Waiting[]): void {
    this.#kept.look();
    let asked: Map<string, Promise<ServerAccess>> | undefined;
    for (const { question, known, failed } of waiting) {
      const kept = this.#kept.find(question.key);
      if (kept && !this.#hasEnded(kept)) {
        known(this.#noted(kept));
        continue;
      }
      asked ??= new Map();
      let answer = asked.get(question.key);
      if (!answer) {
        answer = this.#ask(question);
        asked.set(question.key, answer);
      }
      answer.then(known, failed);
    }
  }

  #hasEnded({ endsAt }: ServerAccess): boolean {
    return endsAt !== undefined && endsAt <= this.#clock.now();
  }

  async #ask({ key, address: { organization, server }, presented }: AccessQuestion): Promise<ServerAccess> {
    const hash = presented === undefined ? undefined : hashOfApiKey(presented);
    const db = this.#store.platform.reads();
    if (presented !== undefined && hash === undefined && TOKEN.test(presented)) {
      const given = { organization, server, hash: hashOfSecret(presented), now: this.#clock.now() };
      const row = await db.first(readTokenAccess, given);
      return row ? this.#noted(accessOfToken(row)) : { ...unknownCaller, server: undefined };
    }
    const now = this.#clock.now();
    const { epoch } = this.#kept;
    const row = await db.first(readAccess, { organization, server, hash: hash ?? NO_HASH });
    if (row) {
      const access = this.#noted(accessOf(row, now));
      if (access.apiKeyId !== undefined) this.#kept.keep(key, access, epoch);
      return access;
    }
    // 401 comes before 404, so the key is checked even if the server does not exist.
    const caller = presented === undefined ? undefined : await identifyKey(db, presented, now);
    if (!caller) return { ...unknownCaller, server: undefined };
    if (caller === 'expired')
      return { ...unknownCaller, server: undefined, facts: { ...nobody, credential: 'expired' } };
    return {
      ...unknownCaller,
      server: undefined,
      facts: { ...nobody, credential: 'valid', actorState: caller.state },
      actor: caller.actor,
      apiKeyId: caller.apiKeyId,
    };
  }
}

const unknownCaller = {
  facts: nobody,
  actor: undefined,
  organizationRole: null,
  apiKeyId: undefined,
  connection: undefined,
  endsAt: undefined,
} as const;

function resourceOf(row: Pick<SessionRow, 'default_role' | 'visibility'>): ResourceFacts {
  return {
    defaultRole: row.default_role,
    visibility: row.visibility === 'concealed' ? 'concealed' : 'discoverable',
  };
}

function accessOfSession(row: SessionRow): ServerAccess {
  const resource = resourceOf(row);
  if (row.user_id === null) return { ...unknownCaller, server: row, facts: { ...nobody, resource } };
  return {
    server: row,
    facts: {
      credential: 'valid',
      actorState: row.state ?? 'deleted',
      resource,
      organizationRole: row.organization_role,
      grant: row.granted_role,
    },
    actor: { type: 'user', id: row.user_id, name: row.email ?? '' },
    organizationRole: row.organization_role,
    apiKeyId: undefined,
    connection: undefined,
    endsAt: row.ends_at ?? undefined,
  };
}

function accessOfToken(row: TokenRow): ServerAccess {
  const access = accessOfSession(row);
  const { connection_id: id, scope } = row;
  return id === null || scope === null ? access : { ...access, connection: { id, scope } };
}

function accessOf(row: AccessRow, now: Timestamp): ServerAccess {
  const resource = resourceOf(row);
  if (row.key_id === null) return { ...unknownCaller, server: row, facts: { ...nobody, resource } };
  const facts = factsOfKeyOwner(row, resource, now);
  if (isExpired(row, now)) return { ...unknownCaller, server: row, facts };
  return {
    server: row,
    facts,
    actor: actorOfKey(row),
    organizationRole: row.organization_role,
    apiKeyId: row.key_id,
    connection: undefined,
    endsAt: nextEndOf(row, now),
  };
}
