/**
 * Where a client's message names tasks, and the exchange of their ids for those of the upstream.
 * Source: modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and the extension
 * `io.modelcontextprotocol/tasks` of 2026-07-28.
 */
import { withValue } from '../../protocol/json-span.ts';
import { isObject, type Message } from '../../protocol/message.ts';
import { metaOf, RELATED_TASK_KEY } from '../../protocol/meta.ts';
import { foldedMethod } from './policy-points.ts';
import type { Task } from './tasks.ts';

const TASK_METHOD = /^\s*tasks\//;

/** True for a method that concerns tasks, in whatever spelling. */
export function isTaskMethod(method: string): boolean {
  return TASK_METHOD.test(foldedMethod(method));
}

/** The ids that a request names: of its own task and of the one it belongs to. A value of another type is kept. */
export function taskIdsOf(message: Message): { own: unknown; related: unknown } {
  if (message.kind === 'response') return { own: undefined, related: undefined };
  const related = metaOf(message)?.[RELATED_TASK_KEY];
  return {
    own:
      isTaskMethod(message.method) && message.method !== 'tasks/list' ? (message.params['taskId'] ?? null) : undefined,
    related: isObject(related) ? related['taskId'] : undefined,
  };
}

/** The message with the upstream's ids in place of those of the client; undefined when it names none of ours. */
export function withUpstreamIds(body: Buffer, open: (sealed: string) => Task | undefined): Buffer | undefined {
  if (!body.includes('taskId') && !body.includes('\\u')) return undefined;
  const given = body.toString('utf8');
  const message: unknown = JSON.parse(given);
  if (!isObject(message)) return undefined;
  let text = given;
  const exchange = (holder: unknown, ...path: string[]) => {
    const sealed = isObject(holder) ? holder['taskId'] : undefined;
    const task = typeof sealed === 'string' ? open(sealed) : undefined;
    if (task) text = withValue(text, [...path, 'taskId'], JSON.stringify(task.upstreamId));
  };
  for (const name of ['params', 'result']) {
    const part = message[name];
    if (isObject(part) && isObject(part['_meta'])) {
      exchange(part['_meta'][RELATED_TASK_KEY], name, '_meta', RELATED_TASK_KEY);
    }
  }
  if (typeof message['method'] === 'string' && isTaskMethod(message['method'])) exchange(message['params'], 'params');
  return text === given ? undefined : Buffer.from(text);
}
