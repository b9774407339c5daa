/** Reads a client's request, once the client may send it, and counts the open requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Capacity } from '../../../fairness/capacity.ts';
import { Gate } from '../../../fairness/gate.ts';
import type { BodyReceiver, ReceivedBody } from '../../../fairness/receive-body.ts';
import type { UpstreamRequest } from '../../upstream/upstream.ts';
import * as refusals from './refusals.ts';

/** A client's request after it has been read. */
export interface Sent {
  readonly method: UpstreamRequest['method'];
  /** The body of a POST. */
  readonly body: Buffer | undefined;
  /** Call it when the answer has ended or begun to stream: until then the request counts as open. */
  readonly leave: () => void;
}

export type Received = Sent | { readonly refusal: refusals.Refusal } | undefined;

/** The part of all open requests that may go to the servers of one organization. */
const SHARE = 1 / 4;

export class RequestReceiver {
  readonly #bodies: BodyReceiver;
  readonly #maxBodyBytes: number;
  /** Requests that wait for their answers, by organization. */
  readonly #underWay: Gate;

  constructor(bodies: BodyReceiver, maxBodyBytes: number, { serverRequests }: Pick<Capacity, 'serverRequests'>) {
    this.#bodies = bodies;
    this.#maxBodyBytes = maxBodyBytes;
    this.#underWay = new Gate({
      name: 'requests to servers',
      places: serverRequests,
      levels: [{ most: Math.ceil(serverRequests * SHARE) }],
    });
  }

  get isFull(): boolean {
    return this.#underWay.isFull;
  }

  /** Counts a request as open whose body is not read here. Returns what a request calls when it has ended. */
  enterUnread(organization: string): (() => void) | undefined {
    return this.#underWay.take([organization]);
  }

  /** Returns synchronously if the whole request has arrived. Undefined when the client has gone. */
  receive(request: IncomingMessage, response: ServerResponse, organization: string): Received | Promise<Received> {
    const method = httpMethodOf(request);
    if (!method) return { refusal: refusals.METHOD_NOT_ALLOWED };
    if (method !== 'POST') return this.#enter(method, undefined, response, organization);
    const body =
      this.#bodies.receiveArrived(request, response, this.#maxBodyBytes, organization) ??
      this.#bodies.receive(request, response, this.#maxBodyBytes, organization);
    return body instanceof Promise
      ? body.then((received) => this.#enter(method, received, response, organization))
      : this.#enter(method, body, response, organization);
  }

  #enter(
    method: Sent['method'],
    body: ReceivedBody | undefined,
    response: ServerResponse,
    organization: string,
  ): Received {
    if (body === 'too_large') return { refusal: refusals.TOO_LARGE };
    if (body === 'too_slow') return { refusal: refusals.TOO_SLOW };
    if (body === 'no_room') return { refusal: refusals.NO_ROOM };
    if (body === 'broken' || response.destroyed) return undefined;
    const leave = this.#underWay.take([organization]);
    return leave ? { method, body: body && withoutMark(body), leave } : { refusal: refusals.BUSY };
  }
}

/** Removes the byte order mark that some clients write before their JSON, which many servers ignore. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

function httpMethodOf({ method }: IncomingMessage): UpstreamRequest['method'] | undefined {
  return method === 'POST' || method === 'GET' || method === 'DELETE' ? method : undefined;
}
