/** Serves the programs of this server's host to the other servers of the installation. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { atClose } from '../../../network/at-close.ts';
import { HOP_BY_HOP } from '../../../network/hop-by-hop.ts';
import { isUuid } from '../../../values/id.ts';
import { guarded, inBackground } from '../../../watching/background.ts';
import type { ProcessReport } from '../../upstream/hosted-servers.ts';
import { type Upstream, type UpstreamCall, UpstreamError, type UpstreamRequest } from '../../upstream/upstream.ts';
import { FAULT_HEADER, type FaultOnTheWire, PROGRAMS_PATH, UNTOUCHED_HEADER } from './peer-upstream.ts';

/** The programs here, for other servers. */
export interface ServedPrograms {
  /** The program of a server, if this host may run it. Throws UpstreamError. */
  ownUpstreamOf(serverId: string): Promise<Upstream>;
  /** True if this host has taken the programs of a server, or has them. */
  claim(serverId: string): Promise<boolean>;
  replaceOutdated(serverId: string): Promise<void>;
  /** The states of the programs of this host that are not stopped, by server. */
  ownReports(): Readonly<Record<string, ProcessReport>>;
}

/** Headers of the connection between the two servers. */
const OF_CONNECTION = [...HOP_BY_HOP, 'host', 'content-length', UNTOUCHED_HEADER];

/** Answers a request below `PROGRAMS_PATH`, and others with 404. */
export function servePrograms(programs: ServedPrograms, request: IncomingMessage, response: ServerResponse): void {
  const [, room, serverId = '', action] = (request.url ?? '').split('/');
  const answer = async () => {
    if (`/${room}` !== PROGRAMS_PATH) return json(response, 404, null);
    if (serverId === 'reports') return json(response, 200, programs.ownReports());
    if (!isUuid(serverId)) return json(response, 404, null);
    if (action === 'claim') return json(response, 200, await programs.claim(serverId));
    if (action === 'replace-outdated') return json(response, 200, (await programs.replaceOutdated(serverId)) ?? null);
    try {
      return await send(await programs.ownUpstreamOf(serverId), request, response);
    } catch (error) {
      if (error instanceof UpstreamError) return fail(response, error);
      throw error;
    }
  };
  inBackground('a request of another server to a program', answer, (error) => fail(response, error));
}

async function send(upstream: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  let call: UpstreamCall | undefined;
  atClose(response, () => call?.abort());
  response.on(
    'drain',
    guarded('the next part of an answer', () => call?.resume()),
  );
  const asked: UpstreamRequest = {
    method: request.method as UpstreamRequest['method'],
    headers: headersOf(request),
    body: body.length === 0 ? null : body,
    untouched: request.headers[UNTOUCHED_HEADER] !== undefined,
  };
  const begin = (status: number, headers: IncomingHttpHeaders) => {
    const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name) && name !== FAULT_HEADER);
    response.writeHead(status, Object.fromEntries(kept));
    response.flushHeaders();
  };
  call = upstream.send(asked, {
    // A program chooses its headers.
    begin: guarded('the beginning of an answer for another server', begin, () => response.destroy()),
    data: (chunk) => response.destroyed || response.write(chunk),
    end: () => response.end(),
    fail: (error) => fail(response, error),
  });
  if (response.destroyed) call.abort();
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && !OF_CONNECTION.includes(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

/** Answers with the fault, or breaks an answer off that has begun. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known = error instanceof UpstreamError ? error : new UpstreamError('unavailable', 'The server failed.', 1);
  const { fault, message, retryAfterSeconds = null } = known;
  response.setHeader(FAULT_HEADER, fault);
  json(response, 503, { fault, message, retryAfterSeconds } satisfies FaultOnTheWire);
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
