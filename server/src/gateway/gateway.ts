/**
 * The way of a request to an MCP server, stage by stage: foreign pages, server, authentication mode, key, access, message,
 * session, policy, forward, record. A refusal ends the way, and nothing of it reaches the server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../context.ts';
import { newTimeOrderedId } from '../id.ts';
import { decide, type Role } from '../identity/access.ts';
import { bearerOf } from '../identity/authenticate.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';
import { noteRequest } from '../young-generation.ts';
import { addressOf, type ServerAddress } from './address.ts';
import { filterFor } from './answer-filter.ts';
import type { Era } from './era.ts';
import { Exchange } from './exchange.ts';
import { addActorHeaders, headersDownstream, headersUpstream, untouchedHeaders } from './forwarded-headers.ts';
import { allowOrigin, answerPreflight, isForeign } from './host-check.ts';
import { KeptLists } from './kept-lists.ts';
import { isObject, type Message, type MessageId } from './message.ts';
import { Policies } from './policies.ts';
import type { CapabilityView } from './policy.ts';
import * as problems from './problems.ts';
import { readBody } from './read-body.ts';
import { Records } from './records.ts';
import { failing, Relay, type RelayOptions } from './relay.ts';
import { asksForList, type Screened, screen } from './screen.ts';
import { type ServerAccess, ServerAccessReader, type ServerFacts } from './server-access.ts';
import { Sessions } from './sessions.ts';
import { CAPABILITY_LISTS, type CapabilityList, type OpenStream, OpenStreams } from './streams.ts';
import { Translations } from './translation/translations.ts';

type HttpMethod = 'POST' | 'GET' | 'DELETE';

/** What an address that names nothing is looked up by. */
const NOWHERE: ServerAddress = { organization: '', server: '' };
const WANTED: Readonly<Record<CapabilityList, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

interface Admitted {
  readonly server: ServerFacts;
  readonly access: ServerAccess;
  readonly role: Role;
  readonly actorId: string;
  readonly view: CapabilityView;
}

export class Gateway {
  readonly #server: Server;
  readonly #access: ServerAccessReader;
  readonly #policies: Policies;
  readonly #sessions: Sessions;
  readonly #streams: OpenStreams;
  readonly #records: Records;
  readonly #translations: Translations;
  readonly #keptLists = new KeptLists();

  constructor(server: Server) {
    const { store, encryption, logger, serverChanges } = server;
    this.#server = server;
    this.#access = new ServerAccessReader(store);
    this.#policies = new Policies(store);
    this.#sessions = new Sessions(encryption);
    this.#streams = new OpenStreams(serverChanges);
    this.#records = new Records(store, logger);
    this.#translations = new Translations(store);
  }

  /** Answers a request to an address below `/servers/`; never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    noteRequest();
    const exchange = new Exchange(request, response, this.#server.clock.now());
    this.#serve(exchange).catch((error: unknown) => {
      this.#server.logger.error({ err: error, request_id: exchange.id }, 'request to an MCP server failed');
      this.#refuse(exchange, problems.INTERNAL);
    });
  }

  /** Ends what would stay open, so that the server can stop. */
  endStreams(): void {
    this.#streams.close();
  }

  /** Once no request is under way: writes the records that wait. */
  async close(): Promise<void> {
    this.#streams.close();
    await this.#records.flush();
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const { config } = this.#server;
    if (isForeign(config, request.headers)) return this.#refuse(exchange, problems.FOREIGN_ORIGIN);
    allowOrigin(request, response);
    if (answerPreflight(request, response)) return;
    const body = request.method === 'POST' ? readBody(request, config.maxBodyBytes) : undefined;
    const address = addressOf(request.url ?? '');
    const presented = bearerOf(request.headers.authorization);
    const access = await this.#access.read(address ?? NOWHERE, presented);
    exchange.access = access;
    if (access.server?.authentication === 'none') return this.#passUntouched(exchange, access.server, body);
    if (access.apiKeyId !== undefined) this.#server.keyUsage.note(access.apiKeyId);
    const decision = decide(access.facts, 'viewer');
    exchange.reason = decision.reason;
    if (!decision.allowed) {
      exchange.decision = 'denied';
      return this.#refuse(exchange, refusalOf(decision.status, request));
    }
    const { server, actor } = access;
    if (!server || !actor) return this.#refuse(exchange, problems.NOT_FOUND);
    const policy = this.#policies.policyOf(server);
    const view = (policy instanceof Promise ? await policy : policy).viewOf(actor.id, decision.role);
    await this.#pass(
      exchange,
      { server, access, role: decision.role, actorId: actor.id, view },
      address,
      presented,
      body,
    );
  }

  async #pass(
    exchange: Exchange,
    admitted: Admitted,
    address: ServerAddress | undefined,
    presented: string | undefined,
    pending: Promise<Buffer | 'too_large' | 'broken'> | undefined,
  ): Promise<void> {
    const { request } = exchange;
    const httpMethod = httpMethodOf(request);
    if (!httpMethod) return this.#refuse(exchange, problems.METHOD_NOT_ALLOWED);
    const body = await pending;
    if (body === 'broken') return;
    if (body === 'too_large') return this.#refuse(exchange, problems.TOO_LARGE);
    exchange.requestBytes = body?.length ?? 0;
    const { server, actorId, view } = admitted;
    const screened = screen({
      httpMethod,
      headers: request.headers,
      body,
      view,
      openSession: (sealed) => this.#sessions.open(sealed, server.id, actorId),
    });
    noteScreened(exchange, screened);
    const { verdict } = screened;
    exchange.reason = verdict.reason;
    if (verdict.kind === 'refuse') {
      exchange.decision = verdict.decision;
      return this.#refuse(exchange, verdict.problem, screened.id);
    }
    exchange.decision = 'allowed';
    const headers = headersUpstream(request.headers);
    if (screened.session) headers['mcp-session-id'] = screened.session.upstreamId;
    const { actor, organizationRole } = admitted.access;
    if (server.kind === 'hosted' && actor) addActorHeaders(headers, { actor, organizationRole, role: admitted.role });
    const stream = this.#streamOf(admitted, screened, httpMethod, () =>
      this.#access.read(address ?? NOWHERE, presented),
    );
    const relay = new Relay(exchange.response, this.#relayOptions(exchange, admitted, screened, stream));
    if (stream) stream.relay = relay;
    const speaker = { actorId, era: screened.era };
    await this.#send(relay, server, speaker, { method: httpMethod, headers, body: verdict.body });
  }

  /** The server decides by itself: everything goes on as it came, the credential too. */
  async #passUntouched(
    exchange: Exchange,
    server: ServerFacts,
    pending: Promise<Buffer | 'too_large' | 'broken'> | undefined,
  ): Promise<void> {
    const method = httpMethodOf(exchange.request);
    if (!method) return this.#refuse(exchange, problems.METHOD_NOT_ALLOWED);
    const body = await pending;
    if (body === 'broken') return;
    if (body === 'too_large') return this.#refuse(exchange, problems.TOO_LARGE);
    exchange.decision = 'allowed';
    exchange.reason = 'the server authenticates';
    exchange.method = method;
    exchange.requestBytes = body?.length ?? 0;
    const relay = new Relay(exchange.response, {
      requestId: exchange.id,
      id: undefined,
      untouched: true,
      headersOf: untouchedHeaders,
      filter: undefined,
      rewrite: undefined,
      stream: false,
      finished: (outcome) => this.#record(exchange, outcome.status, outcome.bytes, outcome.problem),
    });
    await this.#send(relay, server, undefined, {
      method,
      headers: untouchedHeaders(exchange.request.headers),
      body: body ?? null,
    });
  }

  /** `speaker` is undefined where nothing is translated. */
  async #send(
    relay: Relay,
    server: ServerFacts,
    speaker: { actorId: string; era: Era } | undefined,
    request: UpstreamRequest,
  ): Promise<void> {
    let upstream: Upstream;
    try {
      upstream = await this.#server.upstreams.upstreamOf(server);
      if (speaker) {
        const translated = this.#translations.translate(upstream, server, speaker.actorId, speaker.era);
        upstream = translated instanceof Promise ? await translated : translated;
      }
    } catch (error) {
      relay.fail(failing(error));
      return;
    }
    relay.sendBy(upstream, request);
  }

  #relayOptions(
    exchange: Exchange,
    { server, actorId, view }: Admitted,
    { verdict, era, session, client, id }: Screened,
    stream: (OpenStream & { relay: Relay | undefined }) | undefined,
  ): RelayOptions {
    const message = verdict.kind === 'forward' ? verdict.message : undefined;
    const filter = filterFor(view, era);
    return {
      requestId: exchange.id,
      id,
      untouched: false,
      filter,
      rewrite:
        filter && asksForList(message) && id !== undefined
          ? this.#listRewrite(server, view, era, id, filter)
          : undefined,
      stream: stream !== undefined,
      headersOf: (headers) => {
        const kept = headersDownstream(headers);
        const upstreamId = headers['mcp-session-id'];
        if (typeof upstreamId === 'string' && era === 'legacy') {
          if (session?.upstreamId === upstreamId) kept['mcp-session-id'] = exchange.request.headers['mcp-session-id'];
          else {
            const name = newTimeOrderedId();
            exchange.session = name;
            const version = requestedVersion(message);
            kept['mcp-session-id'] = this.#sessions.seal({
              serverId: server.id,
              actorId,
              upstreamId,
              version,
              client,
              name,
            });
          }
        }
        return kept;
      },
      streaming: () => {
        if (stream) this.#streams.add(stream);
      },
      finished: ({ status, bytes, problem }) => {
        if (stream) this.#streams.remove(stream);
        this.#record(exchange, status, bytes, problem);
      },
    };
  }

  #listRewrite(
    server: ServerFacts,
    view: CapabilityView,
    era: Screened['era'],
    id: MessageId,
    filter: (text: string) => string | undefined,
  ): (body: Buffer) => Buffer | undefined {
    return (body) => {
      const key = `${server.id} ${server.policy_version} ${era} ${view.key}`;
      const kept = this.#keptLists.find(key, id, body);
      if (kept) return kept;
      const filtered = filter(body.toString('utf8'));
      if (filtered === undefined) return undefined;
      this.#keptLists.keep(key, id, body, filtered);
      return Buffer.from(filtered);
    };
  }

  #streamOf(
    { server, view }: Admitted,
    { verdict, id }: Screened,
    httpMethod: HttpMethod,
    readAccess: () => Promise<ServerAccess>,
  ): (OpenStream & { relay: Relay | undefined }) | undefined {
    const message = verdict.kind === 'forward' ? verdict.message : undefined;
    const listens = message?.kind === 'request' && message.method === 'subscriptions/listen';
    if (httpMethod !== 'GET' && !listens) return undefined;
    return {
      serverId: server.id,
      version: versionOf(server, view),
      lists: listens ? wantedLists(message) : CAPABILITY_LISTS,
      subscription: listens ? id : undefined,
      relay: undefined,
      readAccess: async () => {
        const access = await readAccess();
        const decision = decide(access.facts, 'viewer');
        if (!decision.allowed || !access.server || !access.actor) return { allowed: false };
        const policy = await this.#policies.policyOf(access.server);
        return { allowed: true, version: versionOf(access.server, policy.viewOf(access.actor.id, decision.role)) };
      },
      inject(event) {
        this.relay?.inject(event);
      },
      close() {
        this.relay?.close();
      },
    };
  }

  #refuse(exchange: Exchange, problem: problems.Problem, id?: MessageId): void {
    const bytes = problems.answerProblem(exchange.response, problem, exchange.id, id);
    this.#record(exchange, problem.status, bytes, problem);
  }

  #record(
    exchange: Exchange,
    status: number,
    bytes: number,
    problem: Pick<problems.Problem, 'code'> | undefined,
  ): void {
    const record = exchange.recordOf(status, bytes, problem);
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

function refusalOf(status: 401 | 403 | 404, request: IncomingMessage): problems.Problem {
  if (status === 404) return problems.NOT_FOUND;
  if (status === 403) return problems.FORBIDDEN;
  return request.headers.authorization === undefined ? problems.UNAUTHORIZED : problems.INVALID_TOKEN;
}

function httpMethodOf({ method }: IncomingMessage): HttpMethod | undefined {
  return method === 'POST' || method === 'GET' || method === 'DELETE' ? method : undefined;
}

/** What lists a reader sees depends on these. */
function versionOf(server: ServerFacts, view: CapabilityView): string {
  return `${server.policy_version} ${view.key}`;
}

function requestedVersion(message: Message | undefined): string {
  const version = message?.kind === 'request' ? message.params['protocolVersion'] : undefined;
  return typeof version === 'string' ? version.slice(0, 20) : '';
}

/** Source: MCP contract, `subscriptions/listen`. */
function wantedLists(message: Message & { kind: 'request' }): readonly CapabilityList[] {
  const wanted = message.params['notifications'];
  return isObject(wanted) ? CAPABILITY_LISTS.filter((list) => wanted[WANTED[list]] === true) : CAPABILITY_LISTS;
}
