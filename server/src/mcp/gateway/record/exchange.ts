/** One request in the gateway, and the facts for its record. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { atClose } from '../../../network/at-close.ts';
import { idAt } from '../../../values/id.ts';
import { type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import { beginSpan, isTraced } from '../../../watching/spans.ts';
import { gatewayRequests } from '../../../watching/telemetry.ts';
import type { FailureKind } from '../arrive/failures.ts';
import type { RecordedRefusal } from '../arrive/refusals.ts';
import type { ServerAccess } from '../arrive/server-access.ts';
import type { Screened } from '../decide/screen.ts';
import type { ClientName } from '../decide/sessions.ts';
import type { RequestRecord } from './records.ts';

type RecordedDecision =
  /** It was forwarded to the server. */
  | 'allowed'
  /** Access or policy refused it. */
  | 'denied'
  /** The gateway could not forward it as a message. */
  | 'invalid';

export class Exchange {
  /** Contains the time of `occurred`, so that records are found by time through their id. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly occurred: Timestamp;
  readonly #began = performance.now();
  readonly #told = gatewayRequests.begin();
  readonly #span;
  #leave: (() => void) | undefined;
  access: ServerAccess | undefined;
  decision: RecordedDecision = 'invalid';
  reason = '';
  method: string | null = null;
  capability: string | null = null;
  requestBytes = 0;
  session: string | null = null;
  /** True if this process keeps what belongs to the session. */
  keepsSession = false;
  client: ClientName | undefined;
  protocolVersion: string | null = null;
  /** The server of a remix to which the request went. */
  sourceId: string | null = null;
  /** The run that the call started. */
  startedRunId: string | null = null;

  /** `microseconds` is the time of arrival since 1970. */
  constructor(request: IncomingMessage, response: ServerResponse, microseconds: number) {
    this.request = request;
    this.response = response;
    this.id = idAt(microseconds);
    this.occurred = timestampFromMicroseconds(microseconds);
    this.#span = isTraced()
      ? beginSpan({
          name: 'request to an MCP server',
          kind: 'server',
          attributes: { 'signalbox.request_id': this.id },
          caller: request.headers,
        })
      : undefined;
  }

  /** Stores the facts about the message for the record. */
  note({ method, capability, client, protocolVersion, session }: Screened): void {
    this.method = method;
    this.capability = capability?.name.slice(0, 500) ?? null;
    this.client = client;
    this.protocolVersion = protocolVersion;
    this.session = session?.name ?? null;
  }

  deny(reason: string): void {
    this.decision = 'denied';
    this.reason = reason;
  }

  /** From now on the request counts as open; `leave` is called once, when it ends. */
  enter(leave: () => void): void {
    this.#leave = leave;
    atClose(this.response, () => this.leave());
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Runs the work for it within its span, so that a trace shows it below. */
  within<T>(work: () => T): T {
    return this.#span ? this.#span.within(work) : work();
  }

  /** Another process publishes and records the request. */
  passed(): void {
    this.#span?.end({ attributes: { 'signalbox.passed': 'yes' }, failure: undefined });
  }

  /** Publishes the request for metrics and traces, which also count refused requests of unknown callers. */
  tell(status: number, refusal: RecordedRefusal | undefined): void {
    const { method, access, decision } = this;
    const server = access?.server;
    this.#span?.end({
      attributes: {
        'http.response.status_code': status,
        'mcp.method.name': method ?? 'none',
        'signalbox.server': server?.id ?? 'none',
        'signalbox.decision': decision,
      },
      failure: status >= 500 ? String(status) : undefined,
    });
    gatewayRequests.tell(this.#told, { method, server, decision, status, errorCode: refusal?.code ?? null });
  }

  /** Undefined without a known server or a known caller, because such requests could fill the record from outside. */
  recordOf({ status, bytes, refusal, failure }: AnswerEnd): RequestRecord | undefined {
    const { access } = this;
    const server = access?.server;
    if (!server || (!access.actor && server.authentication !== 'none')) return undefined;
    return {
      server_id: server.id,
      id: this.id,
      occurred: this.occurred,
      actor_type: access.actor?.type ?? null,
      actor_id: access.actor?.id ?? null,
      actor_name: access.actor?.name ?? null,
      method: storable(this.method),
      capability: storable(this.capability),
      status,
      error_code: refusal?.code ?? null,
      decision: this.decision,
      reason: this.reason,
      duration_microseconds: Math.round((performance.now() - this.#began) * 1000),
      request_bytes: this.requestBytes,
      response_bytes: bytes,
      session: this.session,
      client_name: storable(this.client?.name ?? null),
      client_version: storable(this.client?.version ?? null),
      protocol_version: storable(this.protocolVersion),
      source_id: this.sourceId,
      ...failureOf(this.decision, refusal, failure),
      started_run_id: this.startedRunId,
    };
  }
}

interface AnswerEnd {
  readonly status: number;
  readonly bytes: number;
  readonly refusal: RecordedRefusal | undefined;
  readonly failure?: FailureKind | undefined;
}

/** Sentences about the caller are written to the caller, and the reader of a record is another person. */
const WRITTEN_TO_CALLER: ReadonlySet<FailureKind> = new Set(['denied', 'credential', 'quota', 'access_ended']);
const MAX_FAILURE_TEXT = 300;

function failureOf(
  decision: RecordedDecision,
  refusal: RecordedRefusal | undefined,
  reported: FailureKind | undefined,
): Pick<RequestRecord, 'failure' | 'failure_text'> {
  const kind = kindOf(decision, refusal, reported);
  const text = kind === undefined || WRITTEN_TO_CALLER.has(kind) ? undefined : refusal?.message;
  return { failure: kind ?? null, failure_text: storable(text?.slice(0, MAX_FAILURE_TEXT) ?? null) };
}

function kindOf(
  decision: RecordedDecision,
  refusal: RecordedRefusal | undefined,
  reported: FailureKind | undefined,
): FailureKind | undefined {
  if (refusal?.failure) return refusal.failure;
  if (decision !== 'allowed') return decision;
  return refusal ? 'error_answer' : reported;
}

/** Makes a client's text storable in both databases: without NUL and lone surrogates. */
function storable(text: string | null): string | null {
  if (text === null || (!text.includes('\0') && text.isWellFormed())) return text;
  return text.replaceAll('\0', '').toWellFormed();
}
