/**
 * The way of a request to an MCP server, stage by stage: foreign pages, server, authentication mode, key, access, message,
 * session, policy, forward, record. A refusal ends the way, and nothing of it reaches the server.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { doing } from '../../event-loop-watch.ts';
import type { AccessChanges } from '../../identity/access-changes.ts';
import { isOutdated } from '../../identity/admission-age.ts';
import { bearerOf } from '../../identity/authenticate.ts';
import type { KeyUsage } from '../../identity/key-usage.ts';
import type { Logger } from '../../logger.ts';
import { clientRouteOf } from '../../network/client-route.ts';
import { PageGuard } from '../../network/page-guard.ts';
import type { BodyReceiver } from '../../network/receive-body.ts';
import { ServersOrigin } from '../../network/servers-origin.ts';
import type { ServerActivity, ServerChanges } from '../../server-changes.ts';
import { noteRequest } from '../../young-generation.ts';
import { Manifests } from '../manifest/manifests.ts';
import { encodedHeader } from '../protocol/era.ts';
import type { MessageId } from '../protocol/message.ts';
import { Quotas } from '../quotas/quotas.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';
import { addressOf, type ServerAddress } from './arrive/address.ts';
import { scopeRefusal } from './arrive/challenge.ts';
import { addActorHeaders, forwardedHeaders, headersUpstream, untouchedHeaders } from './arrive/headers-upstream.ts';
import { allowOrigin, answerPreflight, HostCheck } from './arrive/host-check.ts';
import { RequestReceiver, type Sent } from './arrive/receive-request.ts';
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
import { untouchedHeadersDownstream } from './return/headers-downstream.ts';
import { Listener, listens, versionOf } from './return/listener.ts';
import { failing, Relay } from './return/relay.ts';
import { RunningAnswer } from './return/running-answer.ts';
import { type OpenStream, OpenStreams } from './return/streams.ts';
import { WayBack } from './return/way-back.ts';

/** Stands for an address that names nothing. */
const NOWHERE: ServerAddress = { organization: '', server: '' };

/** State that a request keeps from its beginning until its answer streams. */
interface Way {
  readonly readAccess: () => ServerAccess | Promise<ServerAccess>;
  readonly addStream: (stream: OpenStream) => void;
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

  constructor(parts: GatewayParts) {
    const { config, store, encryption, logger } = parts;
    this.#parts = parts;
    this.#receiver = new RequestReceiver(parts.bodies, config);
    this.#hostCheck = new HostCheck(config);
    this.#pageGuard = new PageGuard(config);
    this.#serversOrigin = new ServersOrigin(config);
    this.#access = new ServerAccessReader(store, parts.clock);
    this.#policies = new Policies(store);
    this.#admissions = new Admissions(store, this.#policies, config);
    this.#sessions = new Sessions(encryption);
    this.#tasks = new Tasks(encryption);
    this.#wayBack = new WayBack(this.#sessions, this.#tasks);
    this.#streams = new OpenStreams(parts.serverChanges, parts.accessChanges);
    this.#records = new Records(store, logger, parts.serverActivity);
    this.#quotas = new Quotas(store, parts.clock);
    this.#manifests = new Manifests(store);
    this.#destinations = new Destinations(parts, this.#manifests);
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

  #answer(request: IncomingMessage, response: ServerResponse, serve: (exchange: Exchange) => Promise<void>): void {
    noteRequest();
    doing('a request to an MCP server');
    const exchange = new Exchange(request, response, this.#parts.clock.microseconds());
    if (this.#receiver.isFull) {
      this.#refuse(exchange, refusals.BUSY);
      return;
    }
    exchange
      .within(() => serve(exchange))
      .catch((error: unknown) => {
        this.#parts.logger.error({ err: error, request_id: exchange.id }, 'request to an MCP server failed');
        this.#refuse(exchange, refusals.INTERNAL);
      });
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

  async #serve(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    if (this.#hostCheck.isForeign(request)) return this.#refuse(exchange, refusals.FOREIGN_ORIGIN);
    if (this.#serversOrigin.refusesServers(request)) {
      return this.#refuse(exchange, refusals.servedElsewhere(this.#parts.config.serversUrl));
    }
    if (this.#parts.config.apiAuth === 'open' && this.#refusedHost(exchange)) return;
    allowOrigin(request, response);
    if (answerPreflight(request, response)) return;
    const address = addressOf(request.url ?? '') ?? NOWHERE;
    const presented = bearerOf(request.headers.authorization);
    const readAccess = () => this.#access.read(address, presented);
    const way = this.#wayOf(exchange, readAccess);
    const read = readAccess();
    const access = read instanceof Promise ? await read : read;
    exchange.access = access;
    if (access.server?.authentication === 'none') {
      return this.#refusedHost(exchange) ? undefined : this.#passUntouched(exchange, access.server, way);
    }
    if (access.apiKeyId !== undefined) this.#parts.keyUsage.note(access.apiKeyId);
    if (access.connection) this.#parts.keyUsage.noteConnection(access.connection.id);
    const admitted = this.#admit(exchange, access);
    await this.#pass(exchange, admitted instanceof Promise ? await admitted : admitted, way);
  }

  /** A server that authenticates its callers itself is not served: what it answers must not reach the platform's pages. */
  async #serveSession(exchange: Exchange, readAccess: Way['readAccess']): Promise<void> {
    const way = this.#wayOf(exchange, readAccess);
    const access = await readAccess();
    exchange.access = access;
    if (access.server?.authentication === 'none') return this.#refuse(exchange, refusals.OWN_AUTHENTICATION);
    await this.#pass(exchange, await this.#admit(exchange, access), way);
  }

  #wayOf({ response }: Exchange, readAccess: Way['readAccess']): Way {
    const { add, end } = this.#streams.await();
    response.once('close', end);
    return { readAccess, addStream: add };
  }

  /** Undefined when it was refused. */
  #admit(exchange: Exchange, access: ServerAccess): Admitted | undefined | Promise<Admitted | undefined> {
    const orRefuse = (admission: Admission) => {
      exchange.reason = admission.reason;
      if ('admitted' in admission) return admission.admitted;
      if (admission.denied) exchange.decision = 'denied';
      this.#refuse(exchange, admission.refusal);
      return undefined;
    };
    const admission = this.#admissions.decide(exchange.request, access);
    return admission instanceof Promise ? admission.then(orRefuse) : orRefuse(admission);
  }

  async #pass(exchange: Exchange, first: Admitted | undefined, { readAccess, addStream }: Way): Promise<void> {
    if (!first) return;
    const since = performance.now();
    const sent = await this.#sent(exchange, first.server);
    if (!sent) return;
    const admitted = isOutdated(since) ? await this.#admit(exchange, await readAccess()) : first;
    if (!admitted) return;
    const { headers: received } = exchange.request;
    const { server, actorId, view } = admitted;
    const facts = this.#manifests.factsOf(server);
    const { unknown, eras } = facts instanceof Promise ? await facts : facts;
    const screened = screen({
      httpMethod: sent.method,
      headers: received,
      body: sent.body,
      view,
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
    if (lacking) {
      exchange.decision = 'denied';
      exchange.reason = 'the person allows the client less';
      return this.#refuse(exchange, lacking, screened.id);
    }
    const full = await checkQuotas(this.#quotas, admitted, screened, exchange.response);
    if (full) {
      exchange.decision = 'denied';
      exchange.reason = full.reason;
      return this.#refuse(exchange, refusals.quotaRefusal(full), screened.id);
    }
    exchange.decision = 'allowed';
    const headers = headersUpstream(received);
    if (screened.session) headers['mcp-session-id'] = screened.session.upstreamId;
    if (screened.task && headers['mcp-name'] !== undefined) {
      headers['mcp-name'] = encodedHeader(screened.task.upstreamId);
    }
    const { actor, organizationRole } = admitted.access;
    if (server.kind !== 'external' && actor) addActorHeaders(headers, { actor, organizationRole, role: admitted.role });
    const listener = listens(screened, sent.method)
      ? new Listener(admitted, screened, this.#policies, readAccess)
      : undefined;
    const stream =
      listener ??
      new RunningAnswer({
        serverId: server.id,
        capability: screened.capability,
        batchPolicy: screened.method === 'batch' ? versionOf(server, view) : undefined,
        untouched: false,
        policies: this.#policies,
        readAccess,
      });
    const relay = new Relay(exchange.response, {
      ...this.#wayBack.of(exchange, admitted, screened, listener),
      streaming: () => {
        exchange.leave();
        addStream(stream);
      },
      finished: ({ status, bytes, refusal }) => {
        this.#streams.remove(stream);
        this.#record(exchange, status, bytes, refusal);
      },
    });
    stream.attach(relay);
    const open = () => this.#destinations.open(exchange, admitted, screened, eras);
    await this.#send(relay, open, { method: sent.method, headers, body: verdict.body });
  }

  /** The server authenticates its callers itself: the request goes on as it came, with its credential. */
  async #passUntouched(exchange: Exchange, server: ServerFacts, { readAccess, addStream }: Way): Promise<void> {
    const sent = await this.#sent(exchange, server);
    if (!sent) return;
    exchange.decision = 'allowed';
    exchange.reason = 'the server authenticates';
    exchange.method = sent.method;
    const stream = new RunningAnswer({
      serverId: server.id,
      capability: undefined,
      batchPolicy: undefined,
      untouched: true,
      policies: this.#policies,
      readAccess,
    });
    const relay = new Relay(exchange.response, {
      requestId: exchange.id,
      id: undefined,
      untouched: true,
      headersOf: untouchedHeadersDownstream,
      filter: undefined,
      rewrite: undefined,
      stream: false,
      streaming: () => {
        exchange.leave();
        addStream(stream);
      },
      finished: (outcome) => {
        this.#streams.remove(stream);
        this.#record(exchange, outcome.status, outcome.bytes, outcome.refusal);
      },
    });
    stream.attach(relay);
    await this.#send(relay, () => this.#parts.upstreams.upstreamOf(server), {
      method: sent.method,
      headers: {
        ...untouchedHeaders(exchange.request.headers),
        ...forwardedHeaders(clientRouteOf(this.#parts.config.trustedProxies, exchange.request)),
      },
      body: sent.body ?? null,
    });
  }

  /**
   * Undefined when the request was refused or the client has gone away. A request that is passed on counts as under way
   * until its answer has ended or begun to stream.
   */
  async #sent(exchange: Exchange, server: ServerFacts): Promise<Sent | undefined> {
    const sent = await this.#receiver.receive(exchange.request, exchange.response, server.organization_id);
    if (!sent) return undefined;
    if ('refusal' in sent) {
      this.#refuse(exchange, sent.refusal);
      return undefined;
    }
    exchange.enter(sent.leave);
    exchange.requestBytes = sent.body?.length ?? 0;
    return sent;
  }

  async #send(relay: Relay, open: () => Promise<Upstream>, request: UpstreamRequest): Promise<void> {
    let upstream: Upstream;
    try {
      upstream = await open();
    } catch (error) {
      relay.fail(failing(error));
      return;
    }
    relay.sendBy(upstream, request);
  }

  /** Refuses a host name that a foreign page may use. True when it refused. */
  #refusedHost(exchange: Exchange): boolean {
    const refusal = this.#pageGuard.hostRefusalOf(exchange.request);
    if (refusal !== undefined) this.#refuse(exchange, refusals.foreignHost(refusal));
    return refusal !== undefined;
  }

  #refuse(exchange: Exchange, refusal: refusals.Refusal, id?: MessageId): void {
    const bytes = refusals.answerRefusal(exchange.response, refusal, exchange.id, id);
    this.#record(exchange, refusal.status, bytes, refusal);
  }

  #record(
    exchange: Exchange,
    status: number,
    bytes: number,
    refusal: Pick<refusals.Refusal, 'code'> | undefined,
  ): void {
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
