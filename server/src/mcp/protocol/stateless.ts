/**
 * The requirements of the stateless revision for every request. Source:
 * modelcontextprotocol.io/specification/2026-07-28/basic and its schema, and the extension
 * `io.modelcontextprotocol/tasks`.
 */
import { INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION } from './codes.ts';
import { MODERN_VERSION } from './era.ts';
import { errorResponse, isObject, type JsonObject, type Request } from './message.ts';
import { CLIENT_CAPABILITIES_KEY, metaOf, PROTOCOL_VERSION_KEY, protocolVersionOf, TASKS_EXTENSION } from './meta.ts';
import { declaresTasks, isTaskMethod } from './task-ids.ts';

/** The reason why a request is refused, in the form of its answer. */
interface StatelessFault {
  /** HTTP status. */
  readonly status: 400 | 404;
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<JsonObject>;
}

/** Methods of the revisions with sessions that the stateless one removed. */
const REMOVED: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);
const TASK_METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);
const UNKNOWN_METHOD: StatelessFault = { status: 404, code: METHOD_NOT_FOUND, message: 'Method not found' };

/** The reason why any server of this revision refuses the request; undefined when it does not. */
export function statelessFault(request: Request): StatelessFault | undefined {
  const requested = protocolVersionOf(request);
  if (requested === undefined) return missing(PROTOCOL_VERSION_KEY);
  if (requested !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested };
    return { status: 400, code: UNSUPPORTED_PROTOCOL_VERSION, message: 'Unsupported protocol version', data };
  }
  if (!isObject(metaOf(request)?.[CLIENT_CAPABILITIES_KEY])) return missing(CLIENT_CAPABILITIES_KEY);
  return REMOVED.has(request.method) ? UNKNOWN_METHOD : undefined;
}

/** Like `statelessFault`, for tasks: a method that was removed, or a client that does not declare the extension. */
export function statelessTaskFault(request: Request): StatelessFault | undefined {
  if (!isTaskMethod(request.method)) return undefined;
  if (!TASK_METHODS.has(request.method)) return UNKNOWN_METHOD;
  if (declaresTasks(request)) return undefined;
  const message = `The client must declare the extension ${TASKS_EXTENSION}.`;
  const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
  return { status: 400, code: MISSING_CLIENT_CAPABILITY, message, data };
}

export function faultAnswer({ id }: Request, { code, message, data }: StatelessFault): JsonObject {
  return errorResponse(id, code, message, data);
}

function missing(key: string): StatelessFault {
  return { status: 400, code: INVALID_PARAMS, message: `The request lacks ${key} in params._meta.` };
}
