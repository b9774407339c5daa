/**
 * The one way of a request: in through admission, body and validation to its handler, and out as an answer or an error.
 * Each surface lists its own stages: the API of a workspace in `pipeline.ts`, the platform API in
 * `platform-pipeline.ts`, the pages in `page-pipeline.ts`.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Server } from '../context.ts';
import { doing } from '../event-loop-watch.ts';
import { isOutdated } from '../identity/admission-age.ts';
import { receiveBytes } from './receive-bytes.ts';

/** A request on its way, with what its stages leave for later ones. */
export interface Arrival<Route> {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The body as it came, once received; undefined without one. */
  bytes: Buffer | undefined;
  /** The body as parsed, once read. */
  body: unknown;
}

export interface Room {
  readonly maxBytes: number;
  /** The workspace, organization or caller whose share of the room for bodies it takes. */
  readonly holder: string | undefined;
}

/** The stages of a surface, in order. Each throws what `fail` then answers. */
export interface Stages<Route, Admission, Input, Answer> {
  /** Sets the headers that errors carry too. */
  begin(arrival: Arrival<Route>): void;
  /** Finds out who asks, and whether they may. Runs again before the handler when reading the body took long. */
  admit(arrival: Arrival<Route>): Promise<Admission>;
  /** The room for the body. */
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
      server.requests.during(() => pass(server, stages, { route, request, reply, bytes: undefined, body: undefined })),
  });
}

async function pass<Route extends { readonly name: string }, Admission, Input, Answer>(
  server: Server,
  stages: Stages<Route, Admission, Input, Answer>,
  arrival: Arrival<Route>,
): Promise<FastifyReply> {
  const { route, request, reply } = arrival;
  try {
    stages.begin(arrival);
    const first = await stages.admit(arrival);
    const since = performance.now();
    const { maxBytes, holder } = stages.roomOf(arrival, first);
    arrival.bytes = await receiveBytes(server, request, reply, maxBytes, holder);
    doing(route.name);
    const read = stages.read(arrival);
    const input = read instanceof Promise ? await read : read;
    // Reading a large body takes time too, so this follows it.
    const admission = isOutdated(since) ? await stages.admit(arrival) : first;
    const answer = await stages.handle(arrival, admission, input);
    doing(route.name);
    return await stages.answer(arrival, admission, answer);
  } catch (error) {
    return stages.fail(arrival, error);
  }
}
