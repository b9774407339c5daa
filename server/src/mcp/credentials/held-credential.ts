/** The credential of one person for one server, for requests. Tokens are renewed shortly before they expire. */
import type { Store } from '../../database/store.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';
import { addSeconds, type Clock, secondsBetween, type Timestamp } from '../../values/time.ts';
import { type Credential, UpstreamError } from '../upstream/upstream.ts';
import { renewTokens, type UpstreamClient } from './authorization-server.ts';
import {
  type ClientRow,
  claimRenewal,
  type PersonalRow,
  storeRenewed,
  upstreamClients,
  upstreamCredentials,
} from './queries.ts';
import type { PersonalCredential, StoredTokens } from './settings.ts';

export interface CredentialParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly targets: { current(): Promise<TargetPolicy> };
}

type FoundCredential = Extract<PersonalRow, { readonly id: string }>;

/** A token is renewed this long before it expires. */
const MARGIN_SECONDS = 30;
/** Longer than the other server takes to renew. If the renewing process dies, the next one tries after this time. */
export const CLAIM_SECONDS = 30;
/** Interval of reading the row while another process renews it. */
const LOOK_MILLISECONDS = 200;
const REFUSED = 'The other server no longer accepts the sign-in.';

type Headers = Readonly<Record<string, string>>;
type Known = Pick<FoundCredential, 'id' | 'version' | 'encrypted_secret' | 'expires_at'>;

export class HeldCredential implements Credential {
  readonly names: readonly string[];
  readonly #parts: CredentialParts;
  readonly #serverId: string;
  readonly #settings: PersonalCredential;
  #known: Known;
  #headers: Headers;
  #isRejected = false;
  #renewing: Promise<Headers> | undefined;
  #connectUrl = '';

  constructor(parts: CredentialParts, serverId: string, settings: PersonalCredential, row: Known) {
    this.#parts = parts;
    this.#serverId = serverId;
    this.#settings = settings;
    this.names = [settings.kind === 'key' ? settings.header : 'authorization'];
    this.#known = row;
    this.#headers = this.#headersOf(row);
  }

  /** Sets the current row; `connectUrl` is the page on which the person connects again. */
  update(row: Known, connectUrl: string): void {
    this.#connectUrl = connectUrl;
    if (row.version > this.#known.version) this.#adopt(row);
  }

  headers(): Headers | Promise<Headers> {
    if (this.#settings.kind === 'key' || !(this.#isRejected || this.#isEnding)) return this.#headers;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  rejected(shown: Headers): boolean {
    if (this.#settings.kind === 'key') return false;
    if (shown['authorization'] === this.#headers['authorization']) this.#isRejected = true;
    return true;
  }

  /** The error for an answer that refuses the credential. */
  refusal(): UpstreamError {
    return connectAgain('The server does not accept your credential.', this.#connectUrl);
  }

  get #isEnding(): boolean {
    const { expires_at: ends } = this.#known;
    return ends !== null && secondsBetween(this.#parts.clock.now(), ends) < MARGIN_SECONDS;
  }

  #adopt(row: Known): Headers {
    this.#known = row;
    this.#headers = this.#headersOf(row);
    this.#isRejected = false;
    return this.#headers;
  }

  #headersOf({ encrypted_secret }: Known): Headers {
    const secret = this.#parts.encryption.decrypt(encrypted_secret);
    if (this.#settings.kind === 'key') return { [this.#settings.header]: this.#settings.prefix + secret };
    return { authorization: `Bearer ${(JSON.parse(secret) as StoredTokens).accessToken}` };
  }

  async #renew(): Promise<Headers> {
    const { store, clock } = this.#parts;
    const until = performance.now() + CLAIM_SECONDS * 1000;
    const { id, version } = this.#known;
    while (performance.now() < until) {
      // Another request has read the row that another replica renewed.
      if (this.#known.version > version) return this.#headers;
      const now = clock.now();
      const claim = { id, version, now, until: addSeconds(now, CLAIM_SECONDS) };
      if (await store.platform.transaction((tx) => tx.first(claimRenewal, claim))) return this.#renewClaimed();
      const row = await upstreamCredentials.first(store.platform.reads(), { id });
      if (!row) throw connectAgain('You have disconnected your account.', this.#connectUrl);
      if (row.version > version) return this.#adopt(row);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
    throw new UpstreamError('timeout', 'Your sign-in at this server could not be renewed in time. Try again.');
  }

  async #renewClaimed(): Promise<Headers> {
    const { store, clock, encryption } = this.#parts;
    const { id, version, encrypted_secret } = this.#known;
    const { refreshToken } = JSON.parse(encryption.decrypt(encrypted_secret)) as StoredTokens;
    const renewed = refreshToken === null ? 'refused' : await this.#ask(refreshToken);
    const now = clock.now();
    if (renewed === 'refused') {
      const problem = { updated: now, problem: REFUSED, renewing_until: null };
      await store.platform.transaction((tx) => upstreamCredentials.changeAll(tx, { id, version }, problem));
      throw connectAgain(REFUSED, this.#connectUrl);
    }
    const { accessToken, refreshToken: next, seconds } = renewed;
    const stored = {
      id,
      version,
      now,
      encrypted_secret: encryption.encrypt(JSON.stringify({ accessToken, refreshToken: next } satisfies StoredTokens)),
      expires_at: endOf(now, seconds),
    };
    const row = await store.platform.transaction((tx) => tx.first(storeRenewed, stored));
    if (!row) throw connectAgain('You have disconnected your account.', this.#connectUrl);
    return this.#adopt(row);
  }

  /** Rejects with UpstreamError; another request may then try at once. */
  async #ask(refreshToken: string) {
    const { store, encryption, targets } = this.#parts;
    try {
      const client = await upstreamClients.first(store.platform.reads(), { server_id: this.#serverId });
      if (!client) return 'refused';
      return await renewTokens(clientIn(client, encryption), await targets.current(), refreshToken);
    } catch (error) {
      const { id, version } = this.#known;
      await store.platform.transaction((tx) =>
        upstreamCredentials.changeAll(tx, { id, version }, { renewing_until: null }),
      );
      throw error;
    }
  }
}

/** The expiry of a token with this lifetime; null if that is unknown. */
export function endOf(now: Timestamp, seconds: number | undefined): Timestamp | null {
  return seconds === undefined ? null : addSeconds(now, seconds);
}

export function clientIn(row: ClientRow, encryption: Encryption): UpstreamClient {
  return JSON.parse(encryption.decrypt(row.encrypted_client)) as UpstreamClient;
}

/** The error of a request whose person has no credential, or no longer a valid one. */
export function connectAgain(why: string, connectUrl: string): UpstreamError {
  return new UpstreamError('credential', `${why} Connect your account at ${connectUrl}`);
}
