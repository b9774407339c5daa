/**
 * The one way of a request: in through admission, body and validation to its handler, and out as an answer or an error.
 * Each surface lists its own stages: the API of a workspace in `workspace-pipeline.ts`, the platform API in
 * `platform-pipeline.ts`, the pages in `page-pipeline.ts`.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Server } from '../../context/context.ts';
import { asOneRequest } from '../../fairness/foreign-work/request-work.ts';
import type { RequestPlace } from '../../fairness/requests-under-way.ts';
import { isOutdated } from '../../identity/access/admission-age.ts';
import { doing } from '../../watching/event-loop-watch.ts';
import { clientOf } from '../request/client-info.ts';
import { receiveBytes } from '../request/receive-bytes.ts';

/** A request in progress, with the results that its stages leave for later ones. */
export interface Arrival<Route> {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The body as received; undefined before that, and without a body. */
  bytes: Buffer | undefined;
  /** The parsed body, once it was read. */
  body: unknown;
  /** Its place among the open requests. */
  readonly place: RequestPlace;
}

/** The largest body of a request, and the shares it counts against. */
interface Room {
  /** Largest body in bytes. */
  readonly maxBytes: number;
  /**
   * The workspace or organization, and then the caller: the request counts against their shares of open requests, and
   * against the first one's share of the memory for bodies. Empty if the caller is unknown.
   */
  readonly shares: readonly string[];
}

/** The stages of a surface, in order. Each throws the errors that `fail` answers. */
export interface Stages<Route, Admission, Input, Answer> {
  /** Sets the headers that errors also carry. */
  begin(arrival: Arrival<Route>): void;
  /** Identifies the caller and checks the permission. Runs again before the handler if reading the body took long. */
  admit(arrival: Arrival<Route>): Promise<Admission>;
  roomOf(arrival: Arrival<Route>, admission: Admission): Room;
  /** Reads the body and validates the request. */
  read(arrival: Arrival<Route>): Input | Promise<Input>;
  handle(arrival: Arrival<Route>, admission: Admission, input: Input): Promise<Answer> | Answer;
  answer(arrival: Arrival<Route>, admission: Admission, answer: Answer): Promise<FastifyReply> | FastifyReply;
  fail(arrival: Arrival<Route>, error: unknown): FastifyReply;
}

interface Registration<Route> {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  readonly route: Route;
}

export function serveInStages<Route extends { readonly name: string }, Admission, Input, Answer>(
  app: FastifyInstance,
  server: Server,
  stages: Stages<Route, Admission, Input, Answer>,
  { method, url, route }: Registration<Route>,
): void {
  app.route({
    method,
    url,
    // The name for metrics.
    config: { name: route.name },
    handler: (request, reply) =>
      asOneRequest(async () => {
        const place = server.requests.enter(clientOf(server.config, request.raw), reply.raw);
        try {
          return await pass(server, stages, { route, request, reply, bytes: undefined, body: undefined, place });
        } finally {
          place.leave();
        }
      }),
  });
}

async function pass<Route extends { readonly name: string }, Admission, Input, Answer>(
  server: Server,
  stages: Stages<Route, Admission, Input, Answer>,
  arrival: Arrival<Route>,
): Promise<FastifyReply> {
  const { route, place } = arrival;
  try {
    stages.begin(arrival);
    const first = await stages.admit(arrival);
    const since = performance.now();
    const room = stages.roomOf(arrival, first);
    await place.countFor(room.shares);
    arrival.bytes = await receiveBytes(server, arrival, room);
    doing(route.name);
    const read = stages.read(arrival);
    const input = read instanceof Promise ? await read : read;
    // Waiting for a place and reading a large body take time, so this follows them.
    const admission = isOutdated(since) ? await stages.admit(arrival) : first;
    const answer = await stages.handle(arrival, admission, input);
    doing(route.name);
    return await stages.answer(arrival, admission, answer);
  } catch (error) {
    return stages.fail(arrival, error);
  }
}
