/**
 * The places of task ids in messages, and the replacement of the ids in a client's message. Source:
 * modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and the extension
 * `io.modelcontextprotocol/tasks` of 2026-07-28.
 */
import { withValue } from './json-span.ts';
import { isObject, type JsonObject, type Message } from './message.ts';
import { CLIENT_CAPABILITIES_KEY, metaOf, RELATED_TASK_KEY, TASKS_EXTENSION } from './meta.ts';
import { LISTS } from './methods.ts';
import { foldCase } from './unambiguous.ts';

const TASK_METHOD = /^\s*tasks\//;
/** Methods in the protocol's spelling. */
const SPELLED = /^(?!tasks\/)[a-z]+(\/[a-z/_]+)?$/;

/** True for a method that concerns tasks, in any spelling. */
export function isTaskMethod(method: string): boolean {
  return !SPELLED.test(method) && TASK_METHOD.test(foldCase(method));
}

/** The ids in a request: of its own task and of the one to which it belongs. A value of another type is kept. */
export function taskIdsOf(message: Message): { own: unknown; related: unknown } {
  if (message.kind === 'response') return { own: undefined, related: undefined };
  const related = metaOf(message)?.[RELATED_TASK_KEY];
  return {
    own:
      isTaskMethod(message.method) && message.method !== 'tasks/list' ? (message.params['taskId'] ?? null) : undefined,
    related: isObject(related) ? related['taskId'] : undefined,
  };
}

/**
 * The message of a client with replaced ids of tasks; undefined if nothing is replaced. `given` is its JSON, and
 * `message` its parsed form. `exchange` returns undefined for an id that stays.
 */
export function withTaskIds(
  given: string,
  message: Readonly<JsonObject>,
  exchange: (id: string) => string | undefined,
): Buffer | undefined {
  let text = given;
  const exchangeIn = (holder: unknown, ...path: string[]) => {
    const id = isObject(holder) ? holder['taskId'] : undefined;
    const other = typeof id === 'string' ? exchange(id) : undefined;
    if (other !== undefined) text = withValue(text, [...path, 'taskId'], JSON.stringify(other));
  };
  for (const name of ['params', 'result']) {
    const part = message[name];
    if (isObject(part) && isObject(part['_meta'])) {
      exchangeIn(part['_meta'][RELATED_TASK_KEY], name, '_meta', RELATED_TASK_KEY);
    }
  }
  if (typeof message['method'] === 'string' && isTaskMethod(message['method'])) exchangeIn(message['params'], 'params');
  return text === given ? undefined : Buffer.from(text);
}

/** True when the answer to a message may contain ids of tasks. */
export function mayAnswerWithTask(message: Message | undefined): boolean {
  if (message?.kind !== 'request' || message.method in LISTS) return false;
  return isTaskMethod(message.method) || message.params['task'] !== undefined || declaresTasks(message);
}

/** True for a request of the stateless revision whose client supports tasks. */
export function declaresTasks(message: Message): boolean {
  const capabilities = metaOf(message)?.[CLIENT_CAPABILITIES_KEY];
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined;
}
