/**
 * Seals the ids of tasks in a server's messages, and sends its notifications about tasks only to their owners. Source:
 * like `protocol/task-ids.ts`.
 */
import { readExactly } from '../../protocol/exact-json.ts';
import { isObject, type JsonObject, type Request } from '../../protocol/message.ts';
import { RELATED_TASK_KEY } from '../../protocol/meta.ts';
import type { NamedCapability } from '../../protocol/named-capability.ts';
import { isTaskMethod } from '../../protocol/task-ids.ts';
import type { CapabilityView } from '../decide/policy.ts';
import { mayUseTask, type Tasks } from '../decide/tasks.ts';
import type { MessageFilter } from './answer-filter.ts';

const TASK_NOTIFICATION = /^notifications\/tasks(\/|$)/;

interface TaskReader {
  readonly serverId: string;
  readonly actorId: string;
  /** The capabilities that the reader may use now. */
  view(): CapabilityView;
  /** The capability of the request with this answer; undefined on a stream that answers no request. */
  readonly capability: NamedCapability | null | undefined;
  /** The request with this answer. */
  readonly request: Request | undefined;
}

/**
 * Seals the ids in a server's messages. A notification about a task that is not the reader's, or is denied, is dropped.
 */
export function taskFilterFor(tasks: Tasks, reader: TaskReader): MessageFilter {
  const concerns = (message: string | Buffer) =>
    reader.request?.method === 'tasks/list' || message.includes('taskId') || message.includes('\\u');
  return {
    concerns,
    apply: (text) => {
      if (!concerns(text)) return text;
      const message = readExactly(text);
      if (!isObject(message)) return text;
      if ('method' in message) return sealNotice(message, tasks, reader) ? JSON.stringify(message) : undefined;
      if (isObject(message['result'])) sealResult(message['result'], tasks, reader);
      return JSON.stringify(message);
    },
  };
}

/** False when it is not for this reader. */
function sealNotice(message: JsonObject, tasks: Tasks, reader: TaskReader): boolean {
  const { method, params } = message;
  if (!isObject(params)) return true;
  if (method === 'notifications/subscriptions/acknowledged' && isObject(params['notifications'])) {
    const { taskIds } = params['notifications'];
    if (Array.isArray(taskIds)) {
      params['notifications']['taskIds'] = taskIds.flatMap((id) => visible(id, tasks, reader) ?? []);
    }
  }
  if (typeof method === 'string' && TASK_NOTIFICATION.test(method) && !sealVisible(params, tasks, reader)) return false;
  const meta = params['_meta'];
  const related = isObject(meta) ? meta[RELATED_TASK_KEY] : undefined;
  return !isObject(related) || sealVisible(related, tasks, reader);
}

function sealVisible(holder: JsonObject, tasks: Tasks, reader: TaskReader): boolean {
  const sealed = visible(holder['taskId'], tasks, reader);
  if (sealed === undefined) return false;
  holder['taskId'] = sealed;
  return true;
}

/**
 * The sealed id of a task that the reader owns and may use. In the answer to a request, a new task is the reader's own.
 */
function visible(id: unknown, tasks: Tasks, reader: TaskReader): string | undefined {
  if (typeof id !== 'string') return undefined;
  const { serverId, actorId, capability } = reader;
  const known = tasks.find({ serverId, actorId, upstreamId: id });
  if (known) return mayUseTask(known, reader.view()) ? known.sealed : undefined;
  return capability === undefined ? undefined : tasks.seal({ serverId, actorId, upstreamId: id, capability });
}

function sealResult(result: JsonObject, tasks: Tasks, reader: TaskReader): void {
  const { serverId, actorId, capability = null, request } = reader;
  const seal = (holder: unknown) => {
    if (!isObject(holder) || typeof holder['taskId'] !== 'string') return;
    holder['taskId'] = tasks.seal({ serverId, actorId, upstreamId: holder['taskId'], capability });
  };
  for (const part of [result, result['result']]) {
    if (isObject(part) && isObject(part['_meta'])) seal(part['_meta'][RELATED_TASK_KEY]);
  }
  if (request?.method === 'tasks/list') {
    // A list is not a task's creation, so without a capability it makes no task the reader's.
    const listing = { ...reader, capability: undefined };
    const items = Array.isArray(result['tasks']) ? result['tasks'] : [];
    result['tasks'] = items.filter((item) => isObject(item) && sealVisible(item, tasks, listing));
    return;
  }
  seal(result['task']);
  if (result['resultType'] === 'task' || (request && isTaskMethod(request.method))) seal(result);
}
