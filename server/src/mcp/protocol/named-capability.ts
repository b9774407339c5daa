/**
 * The capability that each method uses, for the policy. Source:
 * modelcontextprotocol.io/specification/2025-11-25/server, with a page for each.
 */

import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from './codes.ts';
import type { Era } from './era.ts';
import { isObject, type Message } from './message.ts';
import { type CapabilityKind, LISTS } from './methods.ts';
import { foldCase } from './unambiguous.ts';

/** The longest name of a tool or prompt and the longest URI of a resource, in UTF-16 units. */
export const MAX_NAME = 8192;
export const NAME_TOO_LONG = `the name is longer than ${MAX_NAME} characters`;

/** The capability in a request. */
export interface NamedCapability {
  readonly kind: CapabilityKind;
  readonly name: string;
}

/**
 * The capability that a request uses. `unnamed` when its method uses one and the parameters do not name it: the server
 * would refuse it, so it gives access to nothing.
 */
export function capabilityOf({
  method,
  params,
}: Exclude<Message, { kind: 'response' }>): NamedCapability | 'unnamed' | undefined {
  switch (method) {
    case 'tools/call':
      return named('tool', params['name']);
    case 'prompts/get':
      return named('prompt', params['name']);
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return named('resource', params['uri']);
    case 'completion/complete':
      return referenced(params['ref']);
    default:
      // A method that a server adds to these could use any capability, and so could another spelling of their methods.
      return !(method in LISTS) && /^\s*(tools|prompts|resources|completion)\//.test(foldCase(method))
        ? 'unnamed'
        : undefined;
  }
}

function referenced(reference: unknown): NamedCapability | 'unnamed' {
  if (!isObject(reference)) return 'unnamed';
  if (reference['type'] === 'ref/prompt') return named('prompt', reference['name']);
  if (reference['type'] === 'ref/resource') return named('resource', reference['uri']);
  return 'unnamed';
}

function named(kind: CapabilityKind, name: unknown): NamedCapability | 'unnamed' {
  return typeof name === 'string' ? { kind, name } : 'unnamed';
}

/** The error for a name that does not exist; also for a denied one, if the server's setting is `unknown`. */
export function unknownCapability(
  { kind, name }: NamedCapability,
  era: Era,
): { code: number; message: string; data?: Record<string, unknown> } {
  if (kind === 'tool') return { code: INVALID_PARAMS, message: `Unknown tool: ${name}` };
  if (kind === 'prompt') return { code: INVALID_PARAMS, message: `Unknown prompt: ${name}` };
  const code = era === 'modern' ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  return { code, message: 'Resource not found', data: { uri: name } };
}
