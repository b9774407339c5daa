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

/** A request on its way, with what its stages leave for later ones. */
export interface Arrival<Route> {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The body as it came, once received; undefined without one. */
  bytes: Buffer | undefined;
  /** The body as parsed, once read. */
  body: unknown;
  /** Among the requests under way. */
  readonly place: RequestPlace;
}

/** What a request may take, and of whose part. */
interface Room {
  /** Of its body. */
  readonly maxBytes: number;
  /**
   * The workspace or organization, and then the caller: their share of the requests under way, and the first one's share
   * of the room for bodies. Empty where nobody is known.
   */
  readonly shares: readonly string[];
}

/** The stages of a surface, in order. Each throws what `fail` then answers. */
export interface Stages<Route, Admission, Input, Answer> {
  /** Sets the headers that errors carry too. */
  begin(arrival: Arrival<Route>): void;
  /** Finds out who asks, and whether they may. Runs again before the handler when reading the body took long. */
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
    // For the metrics.
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
    // Waiting for room and reading a large body take time too, so this follows them.
    const admission = isOutdated(since) ? await stages.admit(arrival) : first;
    const answer = await stages.handle(arrival, admission, input);
    doing(route.name);
    return await stages.answer(arrival, admission, answer);
  } catch (error) {
    return stages.fail(arrival, error);
  }
}
