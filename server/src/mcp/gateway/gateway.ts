/**
 * The way of a request to an MCP server, stage by stage: foreign pages, server, authentication mode, key, access, message,
 * session, policy, forward, record. A refusal ends the way, and nothing of it reaches the server.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { inBackground } from '../../background.ts';
import { doing } from '../../event-loop-watch.ts';
import { WorkAllowance } from '../../foreign-work/allowance.ts';
import type { AccessChanges } from '../../identity/access-changes.ts';
import { isOutdated } from '../../identity/admission-age.ts';
import type { KeyUsage } from '../../identity/key-usage.ts';
import type { Logger } from '../../logger.ts';
import { atClose } from '../../network/at-close.ts';
import { clientRouteOf } from '../../network/client-route.ts';
import { PageGuard } from '../../network/page-guard.ts';
import type { BodyReceiver } from '../../network/receive-body.ts';
import { ServersOrigin } from '../../network/servers-origin.ts';
import type { ServerActivity, ServerChanges } from '../../server-changes.ts';
import { nextTurn } from '../../turns.ts';
import { noteRequest } from '../../young-generation.ts';
import { type ManifestFacts, Manifests } from '../manifest/manifests.ts';
import { encodedHeader } from '../protocol/era.ts';
import type { MessageId } from '../protocol/message.ts';
import { type QuotaRefusal, Quotas } from '../quotas/quotas.ts';
import type { UpstreamRequest } from '../upstream/upstream.ts';
import { AccessQuestions } from './arrive/access-question.ts';
import type { ServerAddress } from './arrive/address.ts';
import { scopeRefusal } from './arrive/challenge.ts';
import { addActorHeaders, forwardedHeaders, headersUpstream, untouchedHeaders } from './arrive/headers-upstream.ts';
import { allowOrigin, answerPreflight, HostCheck } from './arrive/host-check.ts';
import { type Received, RequestReceiver, type Sent } from './arrive/receive-request.ts';
import * as refusals from './arrive/refusals.ts';
import { type ServerAccess, ServerAccessReader, type ServerFacts } from './arrive/server-access.ts';
import { type Admission, Admissions } from './decide/admission.ts';
import type { Admitted } from './decide/admitted.ts';
import { Policies } from './decide/policies.ts';
import { checkQuotas } from './decide/quota-check.ts';
import { type Screened, screen } from './decide/screen.ts';
import { Sessions } from './decide/sessions.ts';
import { Tasks } from './decide/tasks.ts';
import { type DestinationParts, Destinations } from './destinations.ts';
import { Exchange } from './record/exchange.ts';
import { Records } from './record/records.ts';
import { Listener, listens } from './return/listener.ts';
import { Passage, type PassageParts, type Way } from './return/passage.ts';
import { Relay, type RelayEnd } from './return/relay.ts';
import { send } from './return/send.ts';
import { OpenStreams } from './return/streams.ts';
import { untouchedAnswer, WayBack } from './return/way-back.ts';

/** A part of the way that is done, or will be. */
type Work = void | Promise<void>;

/** Reading a larger body takes a turn of the event loop for itself, so that others are served between two of them. */
const LARGE_BYTES = 1024 * 1024;

/** A request that may go on. */
interface Allowed {
  readonly screened: Screened;
  readonly method: UpstreamRequest['method'];
  readonly body: Buffer | null;
  /** Those that the server speaks. */
  readonly eras: ManifestFacts['eras'];
}

/** The parts of the process that the gateway works with. */
interface GatewayParts extends DestinationParts {
  readonly logger: Logger;
  readonly bodies: BodyReceiver;
  readonly keyUsage: KeyUsage;
  readonly serverChanges: ServerChanges;
  readonly serverActivity: ServerActivity;
  readonly accessChanges: AccessChanges;
}

export class Gateway {
  readonly #parts: GatewayParts;
  readonly #hostCheck: HostCheck;
  readonly #pageGuard: PageGuard;
  readonly #serversOrigin: ServersOrigin;
  readonly #questions = new AccessQuestions();
  readonly #access: ServerAccessReader;
  readonly #policies: Policies;
  readonly #admissions: Admissions;
  readonly #sessions: Sessions;
  readonly #tasks: Tasks;
  readonly #wayBack: WayBack;
  readonly #streams: OpenStreams;
  readonly #quotas: Quotas;
  readonly #records: Records;
  readonly #manifests: Manifests;
  readonly #destinations: Destinations;
  readonly #receiver: RequestReceiver;
  readonly #passageParts: PassageParts;

  constructor(parts: GatewayParts) {
    const { config, store, encryption, logger } = parts;
    this.#parts = parts;
    this.#receiver = new RequestReceiver(parts.bodies, config);
    this.#hostCheck = new HostCheck(config);
    this.#pageGuard = new PageGuard(config);
    this.#serversOrigin = new ServersOrigin(config);
    this.#access = new ServerAccessReader(parts);
    this.#policies = new Policies(store);
    this.#admissions = new Admissions(store, this.#policies, config);
    this.#sessions = new Sessions(encryption);
    this.#tasks = new Tasks(encryption);
    this.#wayBack = new WayBack(this.#sessions, this.#tasks);
    this.#streams = new OpenStreams(parts.serverChanges, parts.accessChanges);
    this.#records = new Records(store, logger, parts.serverActivity);
    this.#quotas = new Quotas(store, parts.clock);
    this.#manifests = new Manifests(store);
    this.#destinations = new Destinations(parts, this.#manifests, (ended) => {
      inBackground('a check of open streams', () => this.#streams.check(({ sessionId }) => sessionId === ended));
    });
    this.#passageParts = {
      streams: this.#streams,
      policies: this.#policies,
      record: (exchange, end) => this.#record(exchange, end),
    };
  }

  /** Answers a request to an address below `/servers/`; never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response, (exchange) => this.#serve(exchange));
  }

  /**
   * Answers a request that a person sends from the dashboard, with the person's own access; never throws. `cookie` is the
   * value of the session's cookie. The caller has checked that the request comes from a page of this server.
   */
  handleSession(request: IncomingMessage, response: ServerResponse, address: ServerAddress, cookie: string): void {
    const readAccess = () => this.#access.readSession(address, cookie);
    this.#answer(request, response, (exchange) => this.#serveSession(exchange, readAccess));
  }

  #answer(request: IncomingMessage, response: ServerResponse, serve: (exchange: Exchange) => Work): void {
    noteRequest();
    const exchange = new Exchange(request, response, this.#parts.clock.microseconds());
    if (this.#receiver.isFull) this.#refuse(exchange, refusals.BUSY);
    else this.#attempt(exchange, () => serve(exchange));
  }

  /** Does a part of the work for a request. Never throws; an unexpected error is answered. */
  #attempt(exchange: Exchange, work: () => Work): void {
    doing('a request to an MCP server');
    try {
      exchange.within(work)?.catch((error: unknown) => this.#failed(exchange, error));
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  #failed(exchange: Exchange, error: unknown): void {
    this.#parts.logger.error({ err: error, request_id: exchange.id }, 'request to an MCP server failed');
    this.#refuse(exchange, refusals.faultRefusal(error));
  }

  /** Ends what would stay open, so that the server can stop. */
  endStreams(): void {
    this.#streams.close();
  }

  /** Resolves once what was answered before is recorded, or waits for the next try. */
  writeRecords(): Promise<void> {
    return this.#records.flush();
  }

  /** Once no request is under way: writes the records that wait. */
  async close(): Promise<void> {
    this.#streams.close();
    this.#quotas.close();
    await this.#records.close();
  }

  #serve(exchange: Exchange): Work {
    const { request, response } = exchange;
    if (this.#hostCheck.isForeign(request)) return this.#refuse(exchange, refusals.FOREIGN_ORIGIN);
    if (this.#serversOrigin.refusesServers(request)) {
      return this.#refuse(exchange, refusals.servedElsewhere(this.#parts.config.serversUrl));
    }
    if (this.#parts.config.apiAuth === 'open' && this.#refusedHost(exchange)) return;
    allowOrigin(request, response);
    if (answerPreflight(request, response)) return;
    const question = this.#questions.of(request);
    const way = this.#wayOf(
      exchange,
      () => new Promise((resolve, reject) => this.#access.read(question, resolve, reject)),
    );
    this.#access.read(
      question,
      (access) => this.#attempt(exchange, () => this.#serveKnown(exchange, access, way)),
      (error) => this.#failed(exchange, error),
    );
  }

  /** From here on everything happens at once, where what it needs is there: most requests are sent on in this turn. */
  #serveKnown(exchange: Exchange, access: ServerAccess, way: Way): Work {
    exchange.access = access;
    if (access.server?.authentication === 'none') {
      return this.#refusedHost(exchange) ? undefined : this.#passUntouched(exchange, access.server, way);
    }
    if (access.apiKeyId !== undefined) this.#parts.keyUsage.note(access.apiKeyId);
    if (access.connection) this.#parts.keyUsage.noteConnection(access.connection.id);
    return this.#admit(exchange, access, (admitted) => this.#pass(exchange, admitted, way));
  }

  /** A server that authenticates its callers itself is not served: what it answers must not reach the platform's pages. */
  async #serveSession(exchange: Exchange, readAccess: Way['readAccess']): Promise<void> {
    const way = this.#wayOf(exchange, readAccess);
    const access = await readAccess();
    exchange.access = access;
    if (access.server?.authentication === 'none') return this.#refuse(exchange, refusals.OWN_AUTHENTICATION);
    await this.#admit(exchange, access, (admitted) => this.#pass(exchange, admitted, way));
  }

  #wayOf({ response }: Exchange, readAccess: Way['readAccess']): Way {
    const awaited = this.#streams.await();
    atClose(response, () => awaited.end());
    return { readAccess, awaited };
  }

  /** Goes on with `pass`, or refuses. */
  #admit(exchange: Exchange, access: ServerAccess, pass: (admitted: Admitted) => Work): Work {
    const passOrRefuse = (admission: Admission): Work => {
      exchange.reason = admission.reason;
      if ('admitted' in admission) return pass(admission.admitted);
      if (admission.denied) exchange.decision = 'denied';
      this.#refuse(exchange, admission.refusal);
    };
    const admission = this.#admissions.decide(exchange.request, access);
    return admission instanceof Promise ? admission.then(passOrRefuse) : passOrRefuse(admission);
  }

  #pass(exchange: Exchange, admitted: Admitted, way: Way): Work {
    const received = this.#receiver.receive(exchange.request, exchange.response, admitted.server.organization_id);
    if (received instanceof Promise) return this.#passLate(exchange, admitted, received, way);
    const sent = this.#entered(exchange, received);
    return sent && this.#judge(exchange, admitted, sent, way);
  }

  /** While the body came, the access of its sender may have ended. */
  async #passLate(exchange: Exchange, first: Admitted, received: Promise<Received>, way: Way): Promise<void> {
    const since = performance.now();
    const sent = this.#entered(exchange, await received);
    if (!sent) return;
    if (sent.body && sent.body.length > LARGE_BYTES) await nextTurn();
    if (!isOutdated(since)) return this.#judge(exchange, first, sent, way);
    await this.#admit(exchange, await way.readAccess(), (admitted) => this.#judge(exchange, admitted, sent, way));
  }

  #judge(exchange: Exchange, admitted: Admitted, sent: Sent, way: Way): Work {
    const facts = this.#manifests.factsOf(admitted.server);
    return facts instanceof Promise
      ? facts.then((read) => this.#judgeBy(read, exchange, admitted, sent, way))
      : this.#judgeBy(facts, exchange, admitted, sent, way);
  }

  #judgeBy({ unknown, eras }: ManifestFacts, exchange: Exchange, admitted: Admitted, sent: Sent, way: Way): Work {
    const { server, actorId, view } = admitted;
    const work = new WorkAllowance();
    const screened = screen({
      httpMethod: sent.method,
      headers: exchange.request.headers,
      body: sent.body,
      view,
      work,
      unknown,
      deniedAs: server.denied_as,
      openSession: (sealed) => this.#sessions.open(sealed, server.id, actorId),
      openTask: (sealed) => this.#tasks.open(sealed, server.id, actorId),
    });
    noteScreened(exchange, screened);
    const { verdict } = screened;
    exchange.reason = verdict.reason;
    if (verdict.kind === 'refuse') {
      exchange.decision = verdict.decision;
      return this.#refuse(exchange, verdict.refusal, screened.id);
    }
    const lacking = scopeRefusal(admitted.access, screened.method, this.#parts.config, exchange.request);
    if (lacking) return this.#deny(exchange, 'the person allows the client less', lacking, screened);
    const goOn = (full: QuotaRefusal | undefined) => {
      if (full) return this.#deny(exchange, full.reason, refusals.quotaRefusal(full), screened);
      exchange.decision = 'allowed';
      return this.#forward(exchange, admitted, { screened, method: sent.method, body: verdict.body, eras }, way);
    };
    const full = checkQuotas(this.#quotas, admitted, { screened, work }, exchange.response);
    return full instanceof Promise ? full.then(goOn) : goOn(full);
  }

  #forward(exchange: Exchange, admitted: Admitted, { screened, method, body, eras }: Allowed, way: Way): Work {
    const { server } = admitted;
    const headers = headersUpstream(exchange.request.headers);
    if (screened.session) headers['mcp-session-id'] = screened.session.upstreamId;
    if (screened.task && headers['mcp-name'] !== undefined) {
      headers['mcp-name'] = encodedHeader(screened.task.upstreamId);
    }
    const { actor, organizationRole } = admitted.access;
    if (server.kind !== 'external' && actor) addActorHeaders(headers, { actor, organizationRole, role: admitted.role });
    const listener = listens(screened, method)
      ? new Listener(admitted, screened, this.#policies, {
          readAccess: way.readAccess,
          isSessionOpen: () => this.#destinations.isOpen(screened.session),
        })
      : undefined;
    const passage = new Passage(this.#passageParts, exchange, way, { server, admitted, screened, listener });
    const relay = new Relay(exchange.response, this.#wayBack.of(exchange, admitted, screened, listener), passage);
    return send(relay, () => this.#destinations.open(exchange, admitted, screened, eras), {
      method,
      headers,
      body,
    });
  }

  /** The server authenticates its callers itself: the request goes on as it came, with its credential. */
  async #passUntouched(exchange: Exchange, server: ServerFacts, way: Way): Promise<void> {
    const { request, response } = exchange;
    const sent = this.#entered(exchange, await this.#receiver.receive(request, response, server.organization_id));
    if (!sent) return;
    exchange.decision = 'allowed';
    exchange.reason = 'the server authenticates';
    exchange.method = sent.method;
    const asked = { server, admitted: undefined, screened: undefined, listener: undefined };
    const relay = new Relay(
      response,
      untouchedAnswer(exchange.id),
      new Passage(this.#passageParts, exchange, way, asked),
    );
    await send(relay, () => this.#parts.upstreams.upstreamOf(server), {
      method: sent.method,
      headers: {
        ...untouchedHeaders(request.headers),
        ...forwardedHeaders(clientRouteOf(this.#parts.config.trustedProxies, request)),
      },
      body: sent.body ?? null,
      untouched: true,
    });
  }

  /**
   * Undefined when the request was refused or the client has gone away. A request that is passed on counts as under way
   * until its answer has ended or begun to stream.
   */
  #entered(exchange: Exchange, received: Received): Sent | undefined {
    if (!received) return undefined;
    if ('refusal' in received) {
      this.#refuse(exchange, received.refusal);
      return undefined;
    }
    exchange.enter(received.leave);
    exchange.requestBytes = received.body?.length ?? 0;
    return received;
  }

  /** Refuses a host name that a foreign page may use. True when it refused. */
  #refusedHost(exchange: Exchange): boolean {
    const refusal = this.#pageGuard.hostRefusalOf(exchange.request);
    if (refusal !== undefined) this.#refuse(exchange, refusals.foreignHost(refusal));
    return refusal !== undefined;
  }

  #deny(exchange: Exchange, reason: string, refusal: refusals.Refusal, { id }: Screened): void {
    exchange.decision = 'denied';
    exchange.reason = reason;
    this.#refuse(exchange, refusal, id);
  }

  #refuse(exchange: Exchange, refusal: refusals.Refusal, id?: MessageId): void {
    const bytes = refusals.answerRefusal(exchange.response, refusal, exchange.id, id);
    this.#record(exchange, { status: refusal.status, bytes, refusal });
  }

  #record(exchange: Exchange, { status, bytes, refusal }: RelayEnd): void {
    exchange.tell(status, refusal);
    const record = exchange.recordOf(status, bytes, refusal);
    if (record) this.#records.add(record);
  }
}

function noteScreened(exchange: Exchange, { method, capability, client, protocolVersion, session }: Screened): void {
  exchange.method = method;
  exchange.capability = capability?.name.slice(0, 500) ?? null;
  exchange.client = client;
  exchange.protocolVersion = protocolVersion;
  exchange.session = session?.name ?? null;
}
