/**
 * The connections to servers where people have accounts of their own: each request carries the credential of its
 * person, read anew, so that a person who disconnects is refused at the next request.
 */

import type { OpenThings } from '../../identity/access/open-things.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { ExternalConnection } from '../upstream/external-connection.ts';
import {
  type AnswerSink,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from '../upstream/upstream.ts';
import type { OpenedUpstream, UpstreamCaller, UpstreamOwner, Upstreams } from '../upstream/upstreams.ts';
import { type CredentialParts, connectAgain, HeldCredential } from './held-credential.ts';
import { findPersonal, findShared, upstreamCredentials } from './queries.ts';
import { connectUrlOf, personalCredentialOf } from './settings.ts';

/** Credentials that are kept decrypted; the least recently used one is dropped first. */
const MAX_KEPT = 5000;

interface PersonalParts extends CredentialParts {
  readonly openThings: OpenThings;
}

interface Kept {
  readonly shared: Upstream;
  readonly credentialId: string;
  readonly settings: string;
  readonly credential: HeldCredential;
  readonly upstream: Upstream;
  /** The moment of the last read of the credential. */
  mark: number;
}

export class PersonalUpstreams implements Upstreams {
  readonly #parts: PersonalParts;
  readonly #upstreams: Upstreams;
  readonly #kept = new BoundedMap<string, Kept>({ name: 'accounts', most: MAX_KEPT });

  constructor(parts: PersonalParts, upstreams: Upstreams) {
    this.#parts = parts;
    this.#upstreams = upstreams;
  }

  upstreamOf(server: UpstreamOwner, caller?: UpstreamCaller): Upstream | Promise<Upstream> {
    const { personal_credential: settings } = server;
    if (settings === null || !caller) return this.#upstreams.upstreamOf(server);
    return caller.actorType === 'user' ? this.#ofPerson(server, settings, caller) : this.#ofServiceAccount(server);
  }

  openOnce(connection: ExternalConnection, secret: string): Promise<OpenedUpstream> {
    return this.#upstreams.openOnce(connection, secret);
  }

  async #ofPerson(server: UpstreamOwner, settings: string, caller: UpstreamCaller): Promise<Upstream> {
    const { actorId, platform } = caller;
    const mark = this.#parts.openThings.mark();
    const row = await this.#parts.store.platform
      .reads()
      .first(findPersonal, { server_id: server.id, user_id: actorId });
    if (!row) throw new UpstreamError('unavailable', 'This server has been deleted.');
    const connectUrl = connectUrlOf(platform, row.organization_slug, row.server_slug);
    if (row.id === null) throw connectAgain('This server needs your own account.', connectUrl);
    if (row.problem !== null) throw connectAgain(row.problem, connectUrl);
    const shared = await this.#upstreams.upstreamOf(server);
    const key = `${server.id} ${actorId}`;
    const known = this.#kept.get(key);
    const isSame = known?.shared === shared && known.credentialId === row.id && known.settings === settings;
    const kept = isSame ? known : this.#keep(shared, settings, server.id, row);
    if (kept !== known) this.#kept.set(key, kept);
    kept.mark = mark;
    kept.credential.update(row, connectUrl);
    return kept.upstream;
  }

  /** Keeps sessions and streams separate for each account, and for each address of the server. */
  #keep(
    shared: Upstream,
    settings: string,
    serverId: string,
    row: ConstructorParameters<typeof HeldCredential>[3],
  ): Kept {
    const credential = new HeldCredential(this.#parts, serverId, personalCredentialOf(settings), row);
    const check = async (end: () => void) => {
      if (!(await upstreamCredentials.first(this.#parts.store.platform.reads(), { id: row.id }))) end();
    };
    const upstream = new PersonalUpstream(shared, credential, (end) =>
      this.#parts.openThings.keep({ check: () => check(end), end: () => {} }, kept.mark),
    );
    const kept: Kept = { shared, credentialId: row.id, settings, credential, upstream, mark: 0 };
    return kept;
  }

  async #ofServiceAccount(server: UpstreamOwner): Promise<Upstream> {
    if (server.kind === 'external') {
      const row = await this.#parts.store.platform.reads().first(findShared, { id: server.id });
      if (row?.encrypted_credential === null) {
        throw new UpstreamError(
          'credential',
          'This server uses the account of each person, and a service account has none. An administrator can store a credential of the server itself (external.credential), which service accounts use.',
        );
      }
    }
    return this.#upstreams.upstreamOf(server);
  }
}

class PersonalUpstream implements Upstream {
  readonly #shared: Upstream;
  readonly #credential: HeldCredential;
  readonly #watch: (end: () => void) => () => void;

  constructor(shared: Upstream, credential: HeldCredential, watch: (end: () => void) => () => void) {
    this.#shared = shared;
    this.#credential = credential;
    this.#watch = watch;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    let isOver = false;
    const over = () => {
      isOver = true;
      forget();
    };
    const fail = (error: UpstreamError) => {
      if (isOver) return;
      over();
      call?.abort();
      sink.fail(error);
    };
    const forget = this.#watch(() => fail(new UpstreamError('credential', 'You have disconnected your account.')));
    let call: UpstreamCall | undefined;
    call = this.#shared.send(
      { ...request, credential: this.#credential },
      {
        begin: (status, headers) => {
          if (isOver) return;
          if (status === 401) fail(this.#credential.refusal());
          else sink.begin(status, headers);
        },
        data: (chunk) => isOver || sink.data(chunk),
        end: () => {
          if (isOver) return;
          over();
          sink.end();
        },
        fail,
      },
    );
    return {
      abort: () => {
        over();
        call.abort();
      },
      resume: () => call.resume(),
    };
  }
}
