/**
 * The stages of a request to the address of a webhook: the secret in the path is the credential, the body is not
 * parsed, because senders sign its bytes. The answer tells the sender little.
 */
import type { FastifyInstance } from 'fastify';
import type { Server } from '../../context/context.ts';
import { sendError } from '../answer/send-error.ts';
import { signalOf } from '../request/client-gone.ts';
import { contentTypeOf } from '../request/read-body.ts';
import { type Answer, PlainBody } from '../routes/route.ts';
import { type Arrival, type Stages, serveInStages } from './stages.ts';

/** A request as it was received; names of headers are in lower case. */
interface HookCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

export interface HookReceiver<Hook extends { readonly workspace: number }> {
  /** Largest body in bytes. */
  readonly maxBytes: number;
  /** Throws NotFound for an address of no enabled webhook. */
  find(server: Server, slug: string): Promise<Hook>;
  /** Counts the request. Throws TooManyRequests. */
  count(server: Server, hook: Hook): Promise<void>;
  /** Throws Unauthorized or BadRequest for a request that does not become an event. */
  receive(server: Server, hook: Hook, call: HookCall, signal: AbortSignal): Promise<Answer>;
}

interface HookRoute {
  readonly name: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function serveHooks<Hook extends { readonly workspace: number }>(
  app: FastifyInstance,
  server: Server,
  receiver: HookReceiver<Hook>,
): void {
  const route: HookRoute = { name: 'hooks' };
  serveInStages(app, server, hookStages(server, receiver), { method: [...METHODS], url: '/hooks/:slug', route });
}

function hookStages<Hook extends { readonly workspace: number }>(
  server: Server,
  receiver: HookReceiver<Hook>,
): Stages<HookRoute, Hook, HookCall, Answer> {
  const { maxBodyBytes } = server.config;
  const counted = new WeakSet<Arrival<HookRoute>>();
  return {
    begin: () => {},
    admit: async (arrival) => {
      const hook = await receiver.find(server, (arrival.request.params as { slug: string }).slug);
      if (!counted.has(arrival)) await receiver.count(server, hook);
      counted.add(arrival);
      return hook;
    },
    roomOf: (_arrival, { workspace }) => ({
      maxBytes: Math.min(receiver.maxBytes, maxBodyBytes),
      shares: [`workspace ${workspace}`],
    }),
    read: ({ request, bytes }) => ({
      method: request.method,
      headers: request.headers,
      contentType: contentTypeOf(request.raw),
      body: bytes ?? Buffer.alloc(0),
    }),
    handle: ({ reply }, hook, call) => receiver.receive(server, hook, call, signalOf(reply.raw)),
    answer: ({ reply }, _hook, { status, body }) => {
      reply.code(status);
      if (!(body instanceof PlainBody)) return reply.send();
      return reply.header('content-type', body.contentType).send(body.text as string);
    },
    fail: ({ request, reply }, error) => sendError(server, error, undefined, request, reply),
  };
}
