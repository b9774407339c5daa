/**
 * Checks a client's message before anything goes upstream: it must be one message, its headers must agree with it, the
 * session must belong to this actor, and the actor must be allowed to use the capability. Returns the message to
 * forward, or the refusal.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import type { ManifestFacts } from '../../manifest/manifests.ts';
import { unknownAnswerFor } from '../../manifest/unknown-capabilities.ts';
import { type ClientBody, readClientBody } from '../../protocol/client-message.ts';
import { INVALID_PARAMS } from '../../protocol/codes.ts';
import { type Era, eraOf, headerFault, versionFault } from '../../protocol/era.ts';
import { isObject, type Message, type MessageId, type Request } from '../../protocol/message.ts';
import { CLIENT_INFO_KEY, metaOf, protocolVersionOf } from '../../protocol/meta.ts';
import { LISTS } from '../../protocol/methods.ts';
import {
  capabilityOf,
  MAX_NAME,
  NAME_TOO_LONG,
  type NamedCapability,
  unknownCapability,
} from '../../protocol/named-capability.ts';
import { statelessTaskFault } from '../../protocol/stateless.ts';
import { isTaskMethod, taskIdsOf, withTaskIds } from '../../protocol/task-ids.ts';
import {
  answerOf,
  BATCH,
  BATCH_HEADERS,
  BATCHED_TASK,
  CAPABILITY_FORBIDDEN,
  ID_MISSING,
  LONG_NAME,
  NOT_JSON,
  NOT_SENT,
  type Refusal,
  UNKNOWN_SESSION,
  UNKNOWN_TASK,
} from '../arrive/refusals.ts';
import type { ServerFacts } from '../arrive/server-access.ts';
import type { CapabilityView, PolicyDecision } from './policy.ts';
import { type ActorSession, type ClientName, clientNameOf } from './sessions.ts';
import { mayUseTask, type Task } from './tasks.ts';

interface Given {
  readonly httpMethod: 'POST' | 'GET' | 'DELETE';
  readonly headers: IncomingHttpHeaders;
  /** The body of a POST. */
  readonly body: Buffer | undefined;
  readonly view: CapabilityView;
  /** Allowance for comparing the names in the request. */
  readonly work: WorkAllowance;
  /** The server's answers to unknown names. */
  readonly unknown: ManifestFacts['unknown'];
  /** The kind of answer to names that the policy denies. */
  readonly deniedAs: ServerFacts['denied_as'];
  /** Opens a session id of this actor and server. */
  openSession(sealed: string): ActorSession | undefined;
  /** Opens a task id of this actor and server. */
  openTask(sealed: string): Task | undefined;
}

/** The facts about a message for its record; also set when it is refused. */
export interface Screened {
  readonly era: Era;
  readonly session: ActorSession | undefined;
  /** The task that the request concerns. */
  readonly task: Task | undefined;
  /** The method, or the name of the request in the record. */
  readonly method: string | null;
  readonly capability: NamedCapability | undefined;
  readonly client: ClientName | undefined;
  readonly protocolVersion: string | null;
  readonly id: MessageId | undefined;
  /** Number of protocol requests in it. Answers of the client, notifications and the end of a session do not count. */
  readonly requests: number;
  readonly verdict:
    | {
        readonly kind: 'forward';
        readonly message: Message | undefined;
        readonly reason: string;
        readonly body: Buffer | null;
      }
    | {
        readonly kind: 'refuse';
        readonly decision: 'denied' | 'invalid';
        readonly reason: string;
        readonly refusal: Refusal;
      };
}

type Verdict = Screened['verdict'];

export function screen(given: Given): Screened {
  const { headers, httpMethod } = given;
  const read = httpMethod === 'POST' ? readPost(given) : undefined;
  const message = read && 'kind' in read && read.kind === 'single' ? read.message : undefined;
  const era = eraOf(message, headers);
  const sealed = era === 'legacy' ? headers['mcp-session-id'] : undefined;
  const session = typeof sealed === 'string' ? given.openSession(sealed) : undefined;
  const version = versionOf(message, headers) ?? session?.version;
  const taskId = message && taskIdsOf(message).own;
  const task = typeof taskId === 'string' ? given.openTask(taskId) : undefined;
  const capability =
    message && message.kind !== 'response' ? (capabilityOf(message) ?? task?.capability ?? undefined) : undefined;
  const known = {
    era,
    session,
    task,
    method: httpMethod === 'POST' ? methodOf(read) : httpMethod,
    capability: capability === 'unnamed' ? undefined : capability,
    client: session?.client ?? (message ? clientOf(message) : undefined),
    protocolVersion: version?.slice(0, 20) || null,
    id: message?.kind === 'request' ? message.id : undefined,
    requests: httpMethod === 'GET' ? 1 : requestsIn(read),
  };
  const unknown = versionFault(message, headers);
  if (unknown) return { ...known, verdict: refuse('invalid', unknown.message, { status: 400, ...unknown }) };
  return { ...known, verdict: verdictOn(given, read, known) };
}

function verdictOn(given: Given, read: ClientBody | Refusal | undefined, known: Omit<Screened, 'verdict'>): Verdict {
  const { headers } = given;
  if (known.era === 'legacy' && headers['mcp-session-id'] !== undefined && !known.session) {
    return refuse('denied', 'the session belongs to another actor', UNKNOWN_SESSION);
  }
  if (!read) return { kind: 'forward', message: undefined, reason: 'access to the server', body: null };
  if ('status' in read) return refuse('invalid', read.message, read);
  switch (read.kind) {
    case 'refused':
      return refuse('invalid', read.reason, { status: 400, code: read.code, message: read.reason });
    case 'batch':
      return screenBatch(given, read, known);
    case 'single': {
      const fault = headerFault(read.message, known.era, headers);
      if (fault) return refuse('invalid', fault.message, { status: 400, ...fault });
      return screenMessage(given, read.message, known, exchangedIds(given, read));
    }
  }
}

/** The body with the server's ids of tasks; undefined when it stays unchanged. */
function exchangedIds({ openTask }: Given, { text, value }: ClientBody & { kind: 'single' }): Buffer | undefined {
  return withTaskIds(text, value, (sealed) => openTask(sealed)?.upstreamId);
}

/** `exchanged` is the body that is forwarded instead. */
function screenMessage(
  given: Given,
  message: Message,
  { era }: Pick<Screened, 'era'>,
  exchanged: Buffer | undefined,
): Verdict {
  const { view, body, work } = given;
  const capability = message.kind === 'request' ? capabilityOf(message) : undefined;
  if (isTooLong(capability)) return refuse('invalid', NAME_TOO_LONG, LONG_NAME);
  if (message.kind === 'notification' && !message.method.startsWith('notifications/')) {
    return refuse('invalid', 'a request without an id', ID_MISSING);
  }
  const fault = era === 'modern' && message.kind === 'request' ? statelessTaskFault(message) : undefined;
  if (fault) return refuse('invalid', fault.message, fault);
  if (hidesTask(given, message)) return refuse('denied', 'the task belongs to another actor', UNKNOWN_TASK);
  if (message.kind !== 'request') return forward(message, 'access to the server', exchanged ?? body);
  if (capability === undefined) {
    const narrowed = message.method === 'subscriptions/listen' ? narrowListen(message, given) : undefined;
    return forward(message, 'access to the server', narrowed ?? exchanged ?? body);
  }
  const decision = decisionOn(capability, view, work);
  if (decision.allowed) return forward(message, decision.reason, exchanged ?? body);
  return refuse('denied', decision.reason, refusalOf(capability, era, given));
}

/**
 * True when a request names a task that is not its sender's, or that runs a denied capability. Ids in answers of the
 * client and in its notifications may be of its own tasks.
 */
function hidesTask({ view, openTask, work }: Given, message: Message): boolean {
  if (message.kind !== 'request') return false;
  const { own, related } = taskIdsOf(message);
  return [own, related].some((id) => {
    if (id === undefined) return false;
    const task = typeof id === 'string' ? openTask(id) : undefined;
    return !task || !mayUseTask(task, view, work);
  });
}

function isTooLong(capability: NamedCapability | 'unnamed' | undefined): boolean {
  return capability !== undefined && capability !== 'unnamed' && capability.name.length > MAX_NAME;
}

function decisionOn(
  capability: NamedCapability | 'unnamed',
  view: CapabilityView,
  work: WorkAllowance,
): PolicyDecision {
  if (capability !== 'unnamed') return view.decide(capability.kind, capability.name, work);
  return { allowed: view.unrestricted, reason: view.unrestricted ? 'no policy' : 'the request names no capability' };
}

/** The refusal of a denied name is the same whether or not the name exists. */
function refusalOf(capability: NamedCapability | 'unnamed', era: Era, { unknown, deniedAs }: Given): Refusal {
  if (capability === 'unnamed') {
    const message = 'The parameters do not name a tool, resource or prompt.';
    return { status: 200, code: INVALID_PARAMS, message };
  }
  if (deniedAs === 'forbidden') return CAPABILITY_FORBIDDEN;
  const own = unknown[era]?.[capability.kind];
  const refusal = { status: 200, ...unknownCapability(capability, era) };
  return own ? { ...refusal, status: own.status, answer: unknownAnswerFor(own, capability.name) } : refusal;
}

/**
 * A batch is forwarded as a whole or not at all, because its bytes are one. It contains no ids of tasks, so these are
 * not exchanged. Revisions after 2025-03-26 have no batches, but servers accept them.
 */
function screenBatch(
  given: Given,
  { messages }: { readonly messages: readonly Message[] },
  known: Omit<Screened, 'verdict'>,
): Verdict {
  if (known.era === 'modern') return refuse('invalid', BATCH.message, BATCH);
  if (given.headers['mcp-method'] !== undefined || given.headers['mcp-name'] !== undefined) {
    return refuse('invalid', 'headers that name one message beside a batch', BATCH_HEADERS);
  }
  if (messages.some((message) => message.kind !== 'response' && message.method === 'initialize')) {
    return refuse('invalid', 'initialize in a batch', BATCH);
  }
  if (messages.some(concernsTask)) {
    return refuse('invalid', 'tasks in a batch', BATCHED_TASK);
  }
  const verdicts = messages.map((message) => screenMessage(given, message, { era: 'legacy' }, undefined));
  const refusals = verdicts.filter((verdict) => verdict.kind === 'refuse');
  const refused = refusals.find(({ decision }) => decision === 'invalid') ?? refusals[0];
  if (refused?.decision === 'invalid') return refused;
  if (refused) {
    const answers = messages.flatMap((message, index) => {
      const verdict = verdicts[index]!;
      const refusal = verdict.kind === 'refuse' ? verdict.refusal : NOT_SENT;
      return message.kind === 'request' ? [answerOf(refusal, message.id)] : [];
    });
    return { ...refused, refusal: { ...refused.refusal, answers } };
  }
  return forward(undefined, 'every message of the batch', given.body);
}

function concernsTask(message: Message): boolean {
  if (message.kind === 'response') return false;
  const { own, related } = taskIdsOf(message);
  return (
    isTaskMethod(message.method) || message.params['task'] !== undefined || own !== undefined || related !== undefined
  );
}

/**
 * A client is notified only of resources that it may read and of its own tasks; others are removed from its
 * subscription.
 */
function narrowListen(message: Request, { view, openTask, work }: Given): Buffer | undefined {
  const wanted = message.params['notifications'];
  if (!isObject(wanted)) return undefined;
  const { resourceSubscriptions: uris, taskIds } = wanted;
  const narrowed: Record<string, unknown> = {};
  if (!view.unrestricted && Array.isArray(uris)) {
    narrowed['resourceSubscriptions'] = uris.filter(
      (uri) => typeof uri === 'string' && view.decide('resource', uri, work).allowed,
    );
  }
  if (Array.isArray(taskIds)) {
    const tasks = taskIds.flatMap((id) => (typeof id === 'string' ? (openTask(id) ?? []) : []));
    narrowed['taskIds'] = tasks.filter((task) => mayUseTask(task, view, work)).map(({ upstreamId }) => upstreamId);
  }
  if (Object.keys(narrowed).length === 0) return undefined;
  const notifications = { ...wanted, ...narrowed };
  const { id, method, params } = message;
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, notifications } }));
}

/** With another charset, the server could read other names than those that were checked. */
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

function readPost({ headers, body }: Given): ClientBody | Refusal {
  const type = headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type) || headers['content-encoding'] !== undefined) return NOT_JSON;
  return readClientBody(body ?? Buffer.alloc(0));
}

function methodOf(read: ClientBody | Refusal | undefined): string | null {
  if (!read || !('kind' in read)) return null;
  if (read.kind !== 'single') return read.kind === 'batch' ? 'batch' : null;
  return read.message.kind === 'response' ? 'response' : read.message.method.slice(0, 100);
}

function requestsIn(read: ClientBody | Refusal | undefined): number {
  if (!read || !('kind' in read) || read.kind === 'refused') return 0;
  const messages = read.kind === 'batch' ? read.messages : [read.message];
  return messages.filter(({ kind }) => kind === 'request').length;
}

/** The revision in the message, or in its header; a client that opens a session names the revision that it prefers. */
function versionOf(message: Message | undefined, headers: IncomingHttpHeaders): string | undefined {
  const opens = message?.kind === 'request' && message.method === 'initialize';
  const own = opens ? message.params['protocolVersion'] : message && protocolVersionOf(message);
  const version = own ?? headers['mcp-protocol-version'];
  return typeof version === 'string' ? version : undefined;
}

function clientOf(message: Message): ClientName | undefined {
  if (message.kind === 'response') return undefined;
  return clientNameOf(
    message.method === 'initialize' ? message.params['clientInfo'] : metaOf(message)?.[CLIENT_INFO_KEY],
  );
}

function forward(message: Message | undefined, reason: string, body: Buffer | null | undefined): Verdict {
  return { kind: 'forward', message, reason, body: body ?? null };
}

function refuse(decision: 'denied' | 'invalid', reason: string, refusal: Refusal): Verdict {
  return { kind: 'refuse', decision, reason, refusal };
}

/** True for a request whose answer is a list that a policy filters. */
export function asksForList(message: Message | undefined): boolean {
  return message?.kind === 'request' && message.method in LISTS;
}
