/** Counts the work of this process from the facts that its parts publish. */
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { RequestsUnderWay } from '../../fairness/requests-under-way.ts';
import { isKnownMethod } from '../../mcp/protocol/methods.ts';
import type { HostedServers } from '../../mcp/upstream/hosted-servers.ts';
import { VERSION } from '../../values/versions.ts';
import {
  builds,
  commits,
  droppedEvents,
  evictions,
  gatewayRequests,
  limitRefusals,
  mails,
  passes,
  reads,
  unmatchedTexts,
  upstreamAnswers,
} from '../../watching/telemetry.ts';
import { BoundedLabel, OTHER } from './bounded-label.ts';
import { processDefinitions } from './definitions.ts';
import { makeInstruments } from './instruments.ts';

const MOST_SERVERS = 100;

/** The parts of the process that are read at each scrape. */
interface ReadParts {
  readonly requests: Pick<RequestsUnderWay, 'count'>;
  readonly hosting: Pick<HostedServers, 'states'>;
  readonly openSockets: () => ReadonlyMap<string, number>;
}

export class ProcessMetrics {
  readonly #instruments;
  readonly #parts: ReadParts;
  readonly #endings: (() => void)[];

  constructor(registry: Registry, parts: ReadParts) {
    const made = makeInstruments(processDefinitions, registry);
    this.#instruments = made;
    this.#parts = parts;
    made.signalbox_build_info.set({ version: VERSION }, 1);
    const serverLabel = new BoundedLabel(MOST_SERVERS);
    this.#endings = [
      commits.listen(({ writes, seconds, failed }) => {
        made.signalbox_database_commit_duration_seconds.observe({ outcome: failed ? 'failed' : 'committed' }, seconds);
        if (!failed) made.signalbox_database_commit_writes.observe(writes);
      }),
      reads.listen(({ seconds }) => made.signalbox_database_read_duration_seconds.observe(seconds)),
      passes.listen(({ service, seconds, failed, leftWork }) => {
        made.signalbox_service_pass_duration_seconds.observe({ service }, seconds);
        if (failed) made.signalbox_service_failures_total.inc({ service });
        else if (!leftWork) made.signalbox_service_last_success_timestamp_seconds.set({ service }, Date.now() / 1000);
      }),
      gatewayRequests.listen(({ server: found, method, decision, status, seconds }) => {
        const server = found ? serverLabel.of(found.slug) : 'none';
        const told = method === null ? 'none' : isKnownMethod(method) ? method : OTHER;
        made.signalbox_gateway_requests_total.inc({ server, method: told, decision, status });
        made.signalbox_gateway_request_duration_seconds.observe({ server }, seconds);
      }),
      upstreamAnswers.listen(({ seconds, fault = 'answered' }) =>
        made.signalbox_gateway_upstream_duration_seconds.observe({ outcome: fault }, seconds),
      ),
      builds.listen(({ outcome, seconds }) => made.signalbox_build_duration_seconds.observe({ outcome }, seconds)),
      droppedEvents.listen(({ cause }) => made.signalbox_dropped_events_total.inc({ cause })),
      limitRefusals.listen(({ limit }) => made.signalbox_limit_refusals_total.inc({ limit })),
      evictions.listen(({ map }) => made.signalbox_evictions_total.inc({ map })),
      mails.listen(({ kind, outcome }) => made.signalbox_mails_total.inc({ kind, outcome })),
      unmatchedTexts.listen(({ cause }) => made.signalbox_unmatched_texts_total.inc({ cause })),
    ];
  }

  /** Call it before the app listens. */
  countRequests(app: FastifyInstance): void {
    const { signalbox_http_requests_total: total, signalbox_http_request_duration_seconds: duration } =
      this.#instruments;
    app.addHook('onResponse', (request, reply, done) => {
      const { name } = (request.routeOptions.config ?? {}) as { name?: string };
      const route = name ?? OTHER;
      total.inc({ route, status: reply.statusCode });
      const isStream = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream');
      if (!isStream) duration.observe({ route }, reply.elapsedTime / 1000);
      done();
    });
  }

  /** Updates the values that are read, not published. */
  read(): void {
    const { requests, hosting, openSockets } = this.#parts;
    const made = this.#instruments;
    made.signalbox_http_requests_under_way.set(requests.count);
    for (const [path, count] of openSockets()) made.signalbox_websockets.set({ path }, count);
    const { servers, processes } = hosting.states();
    for (const [state, count] of Object.entries(servers)) made.signalbox_hosted_servers.set({ state }, count);
    made.signalbox_hosted_processes.set(processes);
  }

  close(): void {
    for (const end of this.#endings) end();
  }
}
