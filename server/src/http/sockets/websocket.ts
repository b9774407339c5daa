/**
 * Websockets of the API: the sign-in and the limits that all of them share. A client uses the subprotocol `prefect` and
 * sends its credential in the first frame; if the API is open, it may omit both. Source: the Prefect server 3.9.1, with
 * which server/test/reference/resources/protocol.ts compares.
 */

import type { IncomingMessage, Server as NodeServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Server } from '../../context/context.ts';
import { ApiError } from '../../errors.ts';
import { Gate } from '../../fairness/gate.ts';
import type { Permission } from '../../identity/access/permissions.ts';
import { type Admission, admit, asksForKey, keyOf, needsCredential } from '../../identity/callers/authenticate.ts';
import type { Target } from '../../identity/callers/target.ts';
import { clientNetwork } from '../../network/addresses.ts';
import { cutBasePath } from '../../network/base-path.ts';
import { PageGuard } from '../../network/page-guard.ts';
import { ServersOrigin } from '../../network/servers-origin.ts';
import { guarded, inBackground } from '../../watching/background.ts';
import { limitRefusals } from '../../watching/telemetry.ts';
import { addressOf } from '../request/client-info.ts';
import { spoilDoubledCredential } from '../request/doubled-credential.ts';
import { routedAddress, targetOf } from '../request/hosted-address.ts';
import { OpenPlaces } from './open-places.ts';
import { phraseOf, RefusedSockets, refusalOf, settingLacked } from './refused-sockets.ts';
import { Session, type SocketRoute, SUBPROTOCOL } from './socket-session.ts';

export type { SocketRoute, SocketSession } from './socket-session.ts';

const MAX_FRAME_BYTES = 2 * 1024 * 1024;
const PING_MILLISECONDS = 20_000;

interface RunningSockets {
  /** Number of open sockets, by the path of their route. */
  openByPath(): ReadonlyMap<string, number>;
  /**
   * Accepts no new sockets, lets each process the frames that it received, and closes them so that clients reconnect.
   */
  close(): Promise<void>;
}

interface CompiledSocket {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly route: SocketRoute;
}

/** Serves `sockets` on the HTTP server. Throws when one has no permission. */
export function registerSockets(
  http: NodeServer,
  server: Server,
  prefix: string,
  sockets: readonly SocketRoute[],
): RunningSockets {
  const compiled = sockets.map((route) => compile(route, prefix));
  const endpoint = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    autoPong: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const pageGuard = new PageGuard(server.config);
  const serversOrigin = new ServersOrigin(server.config);
  const { maxWaitingSocketsOfClient } = server.config;
  const waiting = new Gate({
    name: 'waiting sockets',
    places: server.capacity.waitingSockets,
    levels: [{ most: maxWaitingSocketsOfClient }],
  });
  const places = new OpenPlaces(server.config);
  const sessions = new Map<Session, string>();
  const refused = new RefusedSockets(server.logger);
  let isClosing = false;
  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    if (isClosing) return refuse(stream, '503 Service Unavailable');
    cutBasePath(server.config.basePath, request);
    if (serversOrigin.refusesPlatform(request)) return refuse(stream, '404 Not Found');
    spoilDoubledCredential(request);
    const refusal = pageGuard.refusalOf(request);
    if (refusal !== undefined) return refuse(stream, '403 Forbidden', refusal);
    const address = addressOf(server.config, request);
    const client = clientNetwork(address);
    const known = waiting.take([client]);
    if (!known) {
      limitRefusals.note({ limit: 'sockets' });
      return refuse(stream, '503 Service Unavailable', TOO_MANY_WAIT, RETRY);
    }
    stream.once('close', known);
    const match = matchSocket(compiled, routedAddress(request));
    const target = targetOf(request);
    if (!match) return refuse(stream, '403 Forbidden');
    if (!mayConnect(server, target, request)) {
      const lacked = settingLacked(server.config, target, false);
      refused.tell(lacked, { path: match.route.path, address, userAgent: request.headers['user-agent'] });
      return refuse(stream, '403 Forbidden', refusalOf(lacked));
    }
    const admission = await admitUpgrade(server, target, match.route.permission, request, address);
    if (admission instanceof ApiError)
      return refuse(stream, `${admission.status} ${phraseOf(admission)}`, admission.message);
    if (typeof admission === 'string') return refuse(stream, admission);
    endpoint.handleUpgrade(request, stream, head, (socket) => {
      const started = ({ workspace, actor }: Admission) => {
        known();
        const leave = places.take({ workspace, actor, address });
        if (typeof leave === 'string') {
          limitRefusals.note({ limit: 'sockets' });
          return leave;
        }
        socket.once('close', guarded('the place of a socket', leave));
        return undefined;
      };
      const session = new Session(server, socket, { request, ...match, target, admission, refused, started });
      sessions.set(session, match.route.path);
      socket.once('close', () => sessions.delete(session));
    });
  };
  leaveOtherUpgrades(http);
  http.on('upgrade', (request, stream, head) => {
    stream.on('error', () => {});
    inBackground(
      'the upgrade to a socket',
      () => upgrade(request, stream, head),
      () => stream.destroy(),
    );
  });
  const ping = () => {
    for (const session of sessions.keys()) inBackground('a ping to a socket', () => session.checkAlive(), session.fail);
  };
  const pings = setInterval(guarded('pings to sockets', ping), PING_MILLISECONDS);
  pings.unref();
  return {
    openByPath: () => {
      const open = new Map(sockets.map(({ path }) => [path, 0]));
      for (const path of sessions.values()) open.set(path, (open.get(path) ?? 0) + 1);
      return open;
    },
    close: async () => {
      isClosing = true;
      clearInterval(pings);
      await Promise.all([...sessions.keys()].map((session) => session.shutDown()));
    },
  };
}

function compile(route: SocketRoute, prefix: string): CompiledSocket {
  if (!route.permission) throw new Error(`The socket ${route.path} declares no permission.`);
  const names: string[] = [];
  const source = (prefix + route.path).replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  return { pattern: new RegExp(`^${source}$`), names, route };
}

interface MatchedSocket {
  readonly route: SocketRoute;
  readonly path: Readonly<Record<string, string>>;
}

function matchSocket(sockets: readonly CompiledSocket[], url: string): MatchedSocket | undefined {
  const address = url.split('?', 1)[0] ?? '';
  for (const { pattern, names, route } of sockets) {
    const values = pattern.exec(address)?.slice(1);
    if (!values) continue;
    try {
      return {
        route,
        path: Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')])),
      };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** A client has two ways to present a credential: the header of the upgrade, and the first frame of the subprotocol. */
function mayConnect(server: Server, target: Target, request: IncomingMessage): boolean {
  return !needsCredential(server.config, target) || speaksSubprotocol(request) || showsKey(server, target, request);
}

/**
 * Clients of a hosted server send their key with the upgrade, and no first frame. Source: the Prefect SDK, which
 * server/test/prefect/scenarios/hosted_workspace.py runs unmodified.
 */
function showsKey(server: Server, target: Target, request: IncomingMessage): boolean {
  return asksForKey(server.config, target) && keyOf(target, request.headers.authorization) !== undefined;
}

/** Undefined when the first frame will identify the client; a status line when the key of the upgrade is refused. */
async function admitUpgrade(
  server: Server,
  target: Target,
  permission: Permission,
  request: IncomingMessage,
  address: string,
): Promise<Admission | ApiError | undefined | string> {
  if (!showsKey(server, target, request)) return undefined;
  try {
    return await admit(server, target, permission, request.headers.authorization, address);
  } catch (error) {
    if (error instanceof ApiError) return error;
    server.logger.error({ err: error }, 'socket could not be opened');
    return '500 Internal Server Error';
  }
}

function speaksSubprotocol(request: IncomingMessage): boolean {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').some((name) => name.trim() === SUBPROTOCOL);
}

/** The answer to a client beyond the limit. */
const TOO_MANY_WAIT = 'Too many websockets are waiting to authenticate. Try again in a moment.';
const RETRY = 'Retry-After: 1\r\n';
/** Time to read a refusal; then the connection is closed, whether or not the client closes it. */
const REFUSAL_MILLISECONDS = 2000;

function refuse(stream: Duplex, status: string, reason = '', headers = ''): void {
  const type = reason === '' ? '' : 'Content-Type: text/plain\r\n';
  const length = `Content-Length: ${Buffer.byteLength(reason)}\r\n`;
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${type}${length}${headers}\r\n${reason}`);
  stream.resume();
  const timer = setTimeout(() => stream.destroy(), REFUSAL_MILLISECONDS);
  stream.once('close', () => clearTimeout(timer));
}

/** Ignores offers to switch to another protocol (h2c); the request is served normally. Node 24.9 and later. */
function leaveOtherUpgrades(
  http: NodeServer & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean },
): void {
  http.shouldUpgradeCallback = (request) => request.headers.upgrade?.toLowerCase() === 'websocket';
}
