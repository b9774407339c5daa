/** The destinations of an allowed request: an upstream, a remix of several, or the built-in server of a workspace. */
import type { Config } from '../../../config.ts';
import type { Store } from '../../../database/store.ts';
import type { Encryption } from '../../../encryption/encryption.ts';
import { publicUrlOf } from '../../../network/client-route.ts';
import type { Clock } from '../../../values/time.ts';
import type { Logger } from '../../../watching/logger.ts';
import { BuiltinServers } from '../../builtin/builtin-servers.ts';
import type { WorkspaceApi } from '../../builtin/definition/workspace-api.ts';
import type { Manifests } from '../../manifest/manifests.ts';
import type { Era } from '../../protocol/era.ts';
import { Remixes } from '../../remix/remixes.ts';
import { oneByOne } from '../../translation/batches.ts';
import { EndedSessions } from '../../translation/ended-sessions.ts';
import { Translations } from '../../translation/translations.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { UpstreamCaller, Upstreams } from '../../upstream/upstreams.ts';
import type { Admitted } from '../decide/admitted.ts';
import type { Screened } from '../decide/screen.ts';
import type { Exchange } from '../record/exchange.ts';

export interface DestinationParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly encryption: Encryption;
  readonly upstreams: Upstreams;
  /** The API that built-in servers call. */
  readonly workspaceApi: WorkspaceApi;
}

export class Destinations {
  readonly #parts: DestinationParts;
  readonly #translations = new Translations();
  readonly #remixes: Remixes;
  readonly #builtins: BuiltinServers;
  readonly #endedSessions: EndedSessions;

  /** `ended` is called for each session that a client has ended. */
  constructor(parts: DestinationParts, manifests: Manifests, ended: (sessionId: string) => void) {
    this.#parts = parts;
    this.#remixes = new Remixes(parts, manifests, this.#translations);
    this.#builtins = new BuiltinServers(parts);
    this.#endedSessions = new EndedSessions(parts.store, parts.clock, ended);
  }

  /**
   * The connection to the server for this request, synchronously if it is open. `eras` are those that the server
   * supports. Throws or rejects with UpstreamError.
   */
  open(
    exchange: Exchange,
    admitted: Admitted,
    { era, session }: Pick<Screened, 'era' | 'session'>,
    eras: readonly Era[],
  ): Upstream | Promise<Upstream> {
    const { server, access, actorId, view, workspace } = admitted;
    if (workspace && access.actor) {
      const denied = (reason: string) => {
        exchange.decision = 'denied';
        exchange.reason = reason;
      };
      const started = (flowRunId: string) => {
        exchange.startedRunId = flowRunId;
      };
      const allows = (tool: string) => view.decide('tool', tool).allowed;
      const caller = { workspace: workspace.key, actor: access.actor, role: workspace.role };
      const origin = { serverId: server.id, requestId: exchange.id, started };
      return oneByOne(this.#builtins.upstreamFor({ ...caller, era, allows, denied, origin }));
    }
    if (server.kind === 'remix') {
      const routed = (sourceId: string) => {
        exchange.sourceId = sourceId;
      };
      return this.#remixes
        .upstreamOf(server, { caller: this.#callerOf(exchange, admitted), era, routed })
        .then((remix) => this.#inSession(oneByOne(remix), exchange, session));
    }
    // Only a server with accounts of people needs the caller of the request.
    const caller = server.personal_credential === null ? undefined : this.#callerOf(exchange, admitted);
    const reached = (upstream: Upstream) => {
      const translated = this.#translations.translate(upstream, eras, { serverId: server.id, actorId, era });
      if (translated !== upstream) return this.#inSession(oneByOne(translated), exchange, session);
      // A program on standard input and output accepts one message at a time.
      return server.kind === 'hosted' ? oneByOne(upstream) : upstream;
    };
    const upstream = this.#parts.upstreams.upstreamOf(server, caller);
    return upstream instanceof Promise ? upstream.then(reached) : reached(upstream);
  }

  /** False when the client of a stream has ended its session, on any replica. */
  isOpen(session: Screened['session']): boolean | Promise<boolean> {
    return session?.upstreamId === undefined || this.#endedSessions.isOpen(session.upstreamId);
  }

  #callerOf({ request }: Exchange, { access, actorId }: Admitted): UpstreamCaller {
    const actorType = access.actor?.type ?? 'service_account';
    return { actorId, actorType, platform: publicUrlOf(this.#parts.config, request) };
  }

  /** For servers whose sessions the gateway keeps itself. */
  #inSession(upstream: Upstream, exchange: Exchange, session: Screened['session']): Upstream | Promise<Upstream> {
    exchange.keepsSession = true;
    const { method = '' } = exchange.request;
    return session ? this.#endedSessions.guard(upstream, method, session.upstreamId) : upstream;
  }
}
