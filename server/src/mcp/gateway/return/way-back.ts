/** Prepares an answer for the client: filters lists, seals session ids, chooses headers. */
import { newTimeOrderedId } from '../../../values/id.ts';
import type { Message } from '../../protocol/message.ts';
import { mayAnswerWithTask } from '../../protocol/task-ids.ts';
import { limitsOf } from '../../quotas/limits.ts';
import type { Admitted } from '../decide/admitted.ts';
import { asksForList, type Screened } from '../decide/screen.ts';
import type { Sessions } from '../decide/sessions.ts';
import type { Tasks } from '../decide/tasks.ts';
import type { Exchange } from '../record/exchange.ts';
import { filterFor, type MessageFilter } from './answer-filter.ts';
import { headersDownstream, untouchedHeadersDownstream } from './headers-downstream.ts';
import { KeptLists } from './kept-lists.ts';
import type { Listener } from './listener.ts';
import type { RelayOptions } from './relay-options.ts';
import { taskFilterFor } from './task-filter.ts';

export class WayBack {
  readonly #sessions: Sessions;
  readonly #tasks: Tasks;
  /** The name of this process among others; undefined if it is the only one. */
  readonly #here: string | undefined;
  readonly #keptLists = new KeptLists();

  constructor(sessions: Sessions, tasks: Tasks, here: string | undefined) {
    this.#sessions = sessions;
    this.#tasks = tasks;
    this.#here = here;
  }

  of(exchange: Exchange, admitted: Admitted, screened: Screened, stream: Listener | undefined): RelayOptions {
    const { verdict, era, id, session } = screened;
    const message = verdict.kind === 'forward' ? verdict.message : undefined;
    // A stream outlives the view with which it began.
    const policyFilter = stream ? stream.filter : filterFor(admitted.view, era);
    const taskFilter = this.#taskFilterOf(admitted, screened, stream);
    const filter = both(policyFilter, taskFilter);
    return {
      requestId: exchange.id,
      id,
      untouched: false,
      maxBytes: limitsOf(admitted.server.limits)?.maxResultBytes,
      filter,
      rewrite: filter && this.#rewriteOf(admitted, screened, message, filter, taskFilter !== undefined),
      settled: taskFilter && (() => this.#tasks.settled()),
      stream: stream !== undefined,
      failing: { method: exchange.request.method ?? '', id, hasSession: session !== undefined, era },
      // An error of one source must not end a session that other sources share.
      keepsSession: admitted.server.kind === 'remix' && era === 'legacy',
      headersOf: (headers) => {
        const kept = headersDownstream(headers);
        const upstreamId = headers['mcp-session-id'];
        if (typeof upstreamId === 'string' && era === 'legacy') {
          kept['mcp-session-id'] = this.#sessionId(exchange, admitted, screened, upstreamId, message);
        }
        return kept;
      },
    };
  }

  /** The id that the client has, or a new one for a session that has just begun. */
  #sessionId(
    exchange: Exchange,
    { server, actorId }: Admitted,
    { session, client }: Screened,
    upstreamId: string,
    message: Message | undefined,
  ): string {
    if (session?.upstreamId === upstreamId) return String(exchange.request.headers['mcp-session-id']);
    const name = newTimeOrderedId();
    exchange.session = name;
    const version = requestedVersion(message);
    const holder = exchange.keepsSession ? this.#here : undefined;
    return this.#sessions.seal({ serverId: server.id, actorId, upstreamId, version, client, name, holder });
  }

  /** Undefined if no ids of tasks are expected. */
  #taskFilterOf(
    { server, actorId, view }: Admitted,
    { verdict, capability, task }: Screened,
    stream: Listener | undefined,
  ): MessageFilter | undefined {
    const message = verdict.kind === 'forward' ? verdict.message : undefined;
    if (!stream && !mayAnswerWithTask(message)) return undefined;
    return taskFilterFor(this.#tasks, {
      serverId: server.id,
      actorId,
      view: stream ? () => stream.view : () => view,
      capability: stream ? undefined : (task?.capability ?? capability ?? null),
      request: message?.kind === 'request' ? message : undefined,
    });
  }

  /** The rewriting of a JSON answer. Answers to a batch may contain any list. */
  #rewriteOf(
    { server, view }: Admitted,
    { era, id, method }: Screened,
    message: Message | undefined,
    filter: MessageFilter,
    mayHoldTasks: boolean,
  ): RelayOptions['rewrite'] {
    const rewrite = (body: Buffer) => {
      if (!filter.concerns(body)) return body;
      const filtered = filter.apply(body.toString('utf8'));
      return filtered === undefined ? undefined : Buffer.from(filtered);
    };
    if (method === 'batch' || mayHoldTasks) return rewrite;
    if (!asksForList(message) || id === undefined) return undefined;
    const key = `${server.id} ${server.policy_version} ${era} ${view.key}`;
    return (body) => {
      const kept = this.#keptLists.find(key, id, body);
      if (kept) return kept;
      const filtered = rewrite(body);
      if (filtered) this.#keptLists.keep(key, id, body, filtered.toString('utf8'));
      return filtered;
    };
  }
}

/** For a server that authenticates its callers itself. */
export function untouchedAnswer(requestId: string): RelayOptions {
  return {
    requestId,
    id: undefined,
    untouched: true,
    headersOf: untouchedHeadersDownstream,
    filter: undefined,
    rewrite: undefined,
    stream: false,
  };
}

/** Applies one filter after the other; undefined when there is none. */
function both(first: MessageFilter | undefined, second: MessageFilter | undefined): MessageFilter | undefined {
  if (!first || !second) return first ?? second;
  return {
    concerns: (bytes) => first.concerns(bytes) || second.concerns(bytes),
    apply: (text) => {
      const kept = first.apply(text);
      return kept === undefined ? undefined : second.apply(kept);
    },
  };
}

function requestedVersion(message: Message | undefined): string {
  const version = message?.kind === 'request' ? message.params['protocolVersion'] : undefined;
  return typeof version === 'string' ? version.slice(0, 20) : '';
}
