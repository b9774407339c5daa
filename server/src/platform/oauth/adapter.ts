/**
 * The storage of the OAuth library. Codes and tokens are stored as SHA-256 and belong to a connection, with which they
 * end. The library's own browser sessions are not stored, because people sign in with those of this server.
 */
import type { Adapter, AdapterPayload, errors } from 'oidc-provider';
import type { Store } from '../../database/store.ts';
import { hashOfSecret } from '../../encryption/secret-hash.ts';
import { IntegrityConflict } from '../../errors.ts';
import { jsonTextOf } from '../../values/json.ts';
import { addSeconds, type Clock, microsecondsOf, type Timestamp } from '../../values/time.ts';
import { type ConnectionRow, connections } from '../connections/queries.ts';
import { consumeToken, findFlow, oauthClients, oauthFlows, oauthTokens, upsertFlow } from './queries.ts';

export interface Storage {
  readonly store: Store;
  readonly clock: Clock;
  /** The errors of the library, which is loaded on demand. */
  readonly errors: typeof errors;
  /** The network of the client that is being registered. */
  shareOf(): string | null;
}

/**
 * Windows of one client that refresh together, and a retry after a lost answer, use one refresh token twice: within
 * this time, each gets tokens. A later use means that the token was stolen.
 */
const OVERLAP_SECONDS = 60;

/** The times of a payload, in seconds since 1970. */
const TIMES = ['iat', 'exp', 'iiat'] as const;

/** The base of all models: finding by device codes always fails, because this server handles devices itself. */
abstract class Base implements Adapter {
  protected readonly storage: Storage;
  protected readonly kind: string;

  constructor(storage: Storage, kind: string) {
    this.storage = storage;
    this.kind = kind;
  }

  abstract find(id: string): Promise<AdapterPayload | undefined>;

  /**
   * Converts the times of the payload to the clock that all processes share, because the library uses this machine's
   * clock.
   */
  protected stored(payload: AdapterPayload): AdapterPayload {
    return shifted(payload, -this.#secondsAhead());
  }

  /** Converts the times of the payload to this machine's clock, with which the library compares them. */
  protected forLibrary(payload: AdapterPayload): AdapterPayload {
    return shifted(payload, this.#secondsAhead());
  }

  #secondsAhead(): number {
    return Math.round(Date.now() / 1000 - this.storage.clock.microseconds() / 1_000_000);
  }

  upsert(_id: string, _payload: AdapterPayload, _expiresIn?: number): Promise<void> {
    throw new Error(`${this.kind} is not stored this way.`);
  }

  consume(_id: string): Promise<void> {
    throw new Error(`${this.kind} is not used up.`);
  }

  destroy(_id: string): Promise<void> {
    throw new Error(`${this.kind} is not removed this way.`);
  }

  /** The tokens of a connection end with it; see `Connections`. */
  async revokeByGrantId(_grantId: string): Promise<void> {}

  async findByUserCode(): Promise<undefined> {}

  async findByUid(): Promise<undefined> {}
}

/** Authorization codes, access tokens and refresh tokens. */
class Tokens extends Base {
  override async upsert(id: string, { jti: _, ...payload }: AdapterPayload, expiresIn = 0): Promise<void> {
    const { store, clock } = this.storage;
    const now = clock.now();
    const row = {
      hash: hashOfSecret(id),
      kind: this.kind,
      connection_id: payload.grantId ?? '',
      created: now,
      scope: payload.scope ?? '',
      payload: jsonTextOf(this.stored(payload)),
      expires_at: addSeconds(now, expiresIn),
      consumed_at: null,
    };
    try {
      await store.platform.transaction((tx) => oauthTokens.insert(tx, row));
    } catch (error) {
      if (error instanceof IntegrityConflict) throw new this.storage.errors.InvalidGrant('the connection has ended');
      throw error;
    }
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const given = { hash: hashOfSecret(id), kind: this.kind };
    const row = await oauthTokens.first(this.storage.store.platform.reads(), given);
    if (!row) return undefined;
    const isSpent = row.consumed_at !== null && !(this.kind === 'RefreshToken' && row.consumed_at > this.#overlap());
    const consumed = isSpent && row.consumed_at ? { consumed: secondsOf(row.consumed_at) } : {};
    return { ...this.forLibrary(JSON.parse(row.payload)), jti: id, ...consumed };
  }

  /**
   * A second, late use means that the token was stolen, so the connection ends. Its deletion is another transaction: an
   * update that waited for another one keeps its lock of the token even if it changes nothing, while a deletion locks
   * the connection before its tokens.
   */
  override async consume(id: string): Promise<void> {
    const { store, clock, errors } = this.storage;
    const { platform } = store;
    const hash = hashOfSecret(id);
    if (
      await platform.transaction((tx) => tx.first(consumeToken, { hash, now: clock.now(), overlap: this.#overlap() }))
    )
      return;
    const row = await oauthTokens.first(platform.reads(), { hash, kind: this.kind });
    if (row) await platform.transaction((tx) => connections.removeAll(tx, { id: row.connection_id }));
    throw new errors.InvalidGrant('already used');
  }

  /** A refresh token whose first use is later than this may be used again. */
  #overlap(): Timestamp {
    return addSeconds(this.storage.clock.now(), -OVERLAP_SECONDS);
  }

  override async destroy(id: string): Promise<void> {
    await this.storage.store.platform.transaction((tx) => oauthTokens.removeAll(tx, { hash: hashOfSecret(id) }));
  }
}

/** Grants in the terms of the library. The consent page makes them. */
class Connections extends Base {
  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await connections.first(this.storage.store.platform.reads(), { id });
    return row && this.forLibrary(grantOf(row));
  }

  override async destroy(id: string): Promise<void> {
    await this.storage.store.platform.transaction((tx) => connections.removeAll(tx, { id }));
  }
}

function grantOf(row: ConnectionRow): AdapterPayload {
  return {
    jti: row.id,
    kind: 'Grant',
    accountId: row.user_id,
    clientId: row.client_id,
    iat: secondsOf(row.created),
    exp: secondsOf(row.expires_at),
    resources: { [row.resource]: row.scope },
  };
}

/** Clients that registered themselves. */
class Clients extends Base {
  override async upsert(id: string, metadata: AdapterPayload): Promise<void> {
    const { store, clock } = this.storage;
    const row = {
      id,
      created: clock.now(),
      metadata: jsonTextOf(metadata),
      used_at: null,
      share: this.storage.shareOf(),
    };
    await store.platform.transaction((tx) => oauthClients.insert(tx, row));
  }

  /** The id may be any text, and PostgreSQL cannot store NUL. */
  async find(id: string): Promise<AdapterPayload | undefined> {
    if (id.includes('\0')) return undefined;
    const row = await oauthClients.first(this.storage.store.platform.reads(), { id });
    return row && JSON.parse(row.metadata);
  }
}

/** Sign-ins in progress, and assertions of clients that must not be used twice. */
class Flows extends Base {
  override async upsert(id: string, { jti: _, ...payload }: AdapterPayload, expiresIn = 0): Promise<void> {
    const { store, clock } = this.storage;
    const row = {
      hash: hashOfSecret(id),
      kind: this.kind,
      payload: jsonTextOf(this.stored(payload)),
      expires_at: addSeconds(clock.now(), expiresIn),
    };
    await store.platform.transaction((tx) => tx.run(upsertFlow, row));
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { store, clock } = this.storage;
    const given = { hash: hashOfSecret(id), kind: this.kind, now: clock.now() };
    const row = await store.platform.reads().first(findFlow, given);
    return row && { ...this.forLibrary(JSON.parse(row.payload)), jti: id };
  }

  override async destroy(id: string): Promise<void> {
    await this.storage.store.platform.transaction((tx) => oauthFlows.removeAll(tx, { hash: hashOfSecret(id) }));
  }
}

/** The library's sessions, which are discarded after each request. */
class NoSessions extends Base {
  async find(): Promise<undefined> {}
  override async upsert(): Promise<void> {}
  override async destroy(): Promise<void> {}
}

const adapters: Readonly<Record<string, new (storage: Storage, kind: string) => Adapter>> = {
  AuthorizationCode: Tokens,
  AccessToken: Tokens,
  RefreshToken: Tokens,
  Grant: Connections,
  Client: Clients,
  Interaction: Flows,
  ReplayDetection: Flows,
  Session: NoSessions,
};

/** The storage of one kind of object. Throws for a kind that no enabled part of the library uses. */
export function adapterFor(storage: Storage, kind: string): Adapter {
  const Adapter = adapters[kind];
  if (!Adapter) throw new Error(`There is no place for ${kind}.`);
  return new Adapter(storage, kind);
}

function shifted(payload: AdapterPayload, seconds: number): AdapterPayload {
  const changed = { ...payload };
  for (const name of TIMES) {
    const time = changed[name];
    if (typeof time === 'number') changed[name] = time + seconds;
  }
  return changed;
}

/** Seconds since 1970. */
function secondsOf(timestamp: Timestamp): number {
  return Math.floor(microsecondsOf(timestamp) / 1_000_000);
}
