/** The gateway to MCP servers. `stages.ts` lists the stages of a call. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PageGuard } from '../../network/page-guard.ts';
import { ServersOrigin } from '../../network/servers-origin.ts';
import { inBackground } from '../../watching/background.ts';
import { doing } from '../../watching/event-loop-watch.ts';
import { noteRequest } from '../../watching/young-generation.ts';
import { Manifests } from '../manifest/manifests.ts';
import { Quotas } from '../quotas/quotas.ts';
import { type AccessQuestion, AccessQuestions } from './arrive/access-question.ts';
import type { ServerAddress } from './arrive/address.ts';
import { HostCheck } from './arrive/host-check.ts';
import { RequestReceiver } from './arrive/receive-request.ts';
import { answerRefusal, faultRefusal, type Refusal } from './arrive/refusals.ts';
import { ServerAccessReader } from './arrive/server-access.ts';
import { Admissions } from './decide/admission.ts';
import { Policies } from './decide/policies.ts';
import { Sessions } from './decide/sessions.ts';
import { Tasks } from './decide/tasks.ts';
import { Exchange } from './record/exchange.ts';
import { Records } from './record/records.ts';
import type { RelayEnd } from './return/relay.ts';
import { OpenStreams } from './return/streams.ts';
import { WayBack } from './return/way-back.ts';
import { STAGES } from './stages.ts';
import { type AskAccess, Call } from './way/call.ts';
import { Destinations } from './way/destinations.ts';
import { ENDED, type End, runStages } from './way/run-stages.ts';
import type { GatewayParts, StageParts } from './way/stage-parts.ts';

export class Gateway {
  readonly #parts: StageParts;
  readonly #questions = new AccessQuestions();
  readonly #access: ServerAccessReader;
  readonly #records: Records;

  constructor(parts: GatewayParts) {
    const { config, store, encryption, logger } = parts;
    this.#access = new ServerAccessReader(parts);
    this.#records = new Records(store, logger, parts.hub);
    const policies = new Policies(store);
    const sessions = new Sessions(encryption);
    const tasks = new Tasks(parts);
    const manifests = new Manifests(store);
    const streams = new OpenStreams(parts.hub, parts.openThings);
    this.#parts = {
      ...parts,
      hostCheck: new HostCheck(config),
      pageGuard: new PageGuard(config),
      serversOrigin: new ServersOrigin(config),
      receiver: new RequestReceiver(parts.bodies, config.maxBodyBytes, parts.capacity),
      policies,
      admissions: new Admissions(store, policies, config),
      sessions,
      tasks,
      wayBack: new WayBack(sessions, tasks, parts.peers?.id),
      streams,
      quotas: new Quotas(store, parts.clock, () => parts.peers?.directory.count ?? 1),
      manifests,
      destinations: new Destinations(parts, manifests, (ended) => {
        inBackground('a check of open streams', () => streams.check(({ sessionId }) => sessionId === ended));
      }),
      passage: { streams, policies, record: (exchange, end) => this.#record(exchange, end) },
    };
  }

  /** Answers a request to an address below `/servers/`; never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    let question: AccessQuestion | undefined;
    this.#answer(request, response, 'key', (known, failed) => {
      question ??= this.#questions.of(request);
      this.#access.read(question, known, failed);
    });
  }

  /**
   * Answers a request that a person sends from the dashboard, with the person's own access; never throws. `cookie` is
   * the value of the session's cookie. The caller has checked that the request comes from a page of this server.
   */
  handleSession(request: IncomingMessage, response: ServerResponse, address: ServerAddress, cookie: string): void {
    this.#answer(request, response, 'session', (known, failed) => {
      this.#access.readSession(address, cookie).then(known).catch(failed);
    });
  }

  /** Ends streams that would stay open, so that the server can stop. */
  endStreams(): void {
    this.#parts.streams.close();
  }

  /** Resolves once earlier answers are recorded, or wait for the next attempt. */
  writeRecords(): Promise<void> {
    return this.#records.flush();
  }

  /** Call it when no request is open: writes the waiting records. */
  async close(): Promise<void> {
    this.#parts.streams.close();
    this.#parts.quotas.close();
    await this.#records.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse, arrival: 'key' | 'session', askAccess: AskAccess): void {
    noteRequest();
    doing('a request to an MCP server');
    const exchange = new Exchange(request, response, this.#parts.clock.microseconds());
    const call = new Call(exchange, arrival, askAccess);
    const end: End = {
      ended: (outcome) => {
        if (outcome !== ENDED) this.#refuse(call, outcome);
      },
      failed: (error) => {
        this.#parts.logger.error({ err: error, request_id: exchange.id }, 'request to an MCP server failed');
        this.#refuse({ exchange }, faultRefusal(error));
      },
    };
    exchange.within(() => runStages(STAGES, call, this.#parts, end));
  }

  #refuse({ exchange, messageId }: Pick<Call, 'exchange'> & Partial<Call>, refusal: Refusal): void {
    const bytes = answerRefusal(exchange.response, refusal, exchange.id, messageId);
    this.#record(exchange, { status: refusal.status, bytes, refusal });
  }

  #record(exchange: Exchange, end: RelayEnd): void {
    exchange.tell(end.status, end.refusal);
    const record = exchange.recordOf(end);
    if (record) this.#records.add(record);
  }
}
