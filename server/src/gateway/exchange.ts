/** One request on its way through the gateway, and what its record will say. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { newTimeOrderedId } from '../id.ts';
import type { Timestamp } from '../time.ts';
import type { Problem } from './problems.ts';
import type { RequestRecord } from './records.ts';
import type { ServerAccess } from './server-access.ts';
import type { ClientName } from './sessions.ts';

export type RecordedDecision =
  /** It went on to the server. */
  | 'allowed'
  /** Access or policy said no. */
  | 'denied'
  /** It was no message that can be passed on. */
  | 'invalid';

export class Exchange {
  readonly id = newTimeOrderedId();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly occurred: Timestamp;
  readonly #began = performance.now();
  access: ServerAccess | undefined;
  decision: RecordedDecision = 'invalid';
  reason = '';
  method: string | null = null;
  capability: string | null = null;
  requestBytes = 0;
  session: string | null = null;
  client: ClientName | undefined;
  protocolVersion: string | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, occurred: Timestamp) {
    this.request = request;
    this.response = response;
    this.occurred = occurred;
  }

  /** Undefined for what concerns no server, or nobody who is known: that could fill the record from outside. */
  recordOf(
    status: number,
    responseBytes: number,
    problem: Pick<Problem, 'code'> | undefined,
  ): RequestRecord | undefined {
    const { access } = this;
    const server = access?.server;
    if (!server || (!access.actor && server.authentication === 'platform')) return undefined;
    return {
      id: this.id,
      organization_id: server.organization_id,
      server_id: server.id,
      occurred: this.occurred,
      actor_type: access.actor?.type ?? null,
      actor_id: access.actor?.id ?? null,
      actor_name: access.actor?.name ?? null,
      method: this.method,
      capability: this.capability,
      status,
      error_code: problem?.code ?? null,
      decision: this.decision,
      reason: this.reason,
      duration_microseconds: Math.round((performance.now() - this.#began) * 1000),
      request_bytes: this.requestBytes,
      response_bytes: responseBytes,
      session: this.session,
      client_name: this.client?.name ?? null,
      client_version: this.client?.version ?? null,
      protocol_version: this.protocolVersion,
    };
  }
}
