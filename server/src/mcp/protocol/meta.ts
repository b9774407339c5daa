/** The content of `_meta`: keys of the protocol, and their place in a message. */
import { isObject, type JsonObject, type Message } from './message.ts';

/** Prefix of the keys that the protocol reserves. */
export const META_PREFIX = 'io.modelcontextprotocol/';
export const PROTOCOL_VERSION_KEY = `${META_PREFIX}protocolVersion`;
export const CLIENT_INFO_KEY = `${META_PREFIX}clientInfo`;
export const CLIENT_CAPABILITIES_KEY = `${META_PREFIX}clientCapabilities`;
export const SERVER_INFO_KEY = `${META_PREFIX}serverInfo`;
export const LOG_LEVEL_KEY = `${META_PREFIX}logLevel`;
/** Identifies the `subscriptions/listen` request that a notification answers. */
export const SUBSCRIPTION_ID_KEY = `${META_PREFIX}subscriptionId`;
export const RELATED_TASK_KEY = `${META_PREFIX}related-task`;
/** The name of the extension in capabilities. */
export const TASKS_EXTENSION = `${META_PREFIX}tasks`;

export function metaOf(message: Message): Readonly<JsonObject> | undefined {
  const meta = message.kind === 'response' ? undefined : message.params['_meta'];
  return isObject(meta) ? meta : undefined;
}

/** The revision in a request of the stateless revision; undefined for a request of a session. */
export function protocolVersionOf(message: Message): string | undefined {
  const version = metaOf(message)?.[PROTOCOL_VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}
