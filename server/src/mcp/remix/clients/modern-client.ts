/** A client of the stateless revision of a remix. */
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { VERSION } from '../../../values/versions.ts';
import { MODERN_VERSION } from '../../protocol/era.ts';
import { isObject, type JsonObject, type Message, type Request } from '../../protocol/message.ts';
import { SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY } from '../../protocol/meta.ts';
import { faultAnswer, statelessFault } from '../../protocol/stateless.ts';
import { answerOwn } from '../../translation/own-answer.ts';
import type { AnswerSink, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import type { Forwarding } from '../calls/forwarding.ts';
import { listChangesOf } from '../calls/list-changes.ts';
import { MergedStream } from '../calls/merged-stream.ts';
import type { Remix } from '../composition/remix.ts';
import type { Links } from '../sources/links.ts';
import { openKeyedId } from '../sources/source-ids.ts';
import { SourceMessages } from '../sources/source-messages.ts';

const WANTED = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

export class ModernClient {
  readonly #remix: Remix;
  readonly #links: Links;
  readonly #forwarding: Forwarding;

  constructor(remix: Remix, links: Links, forwarding: Forwarding) {
    this.#remix = remix;
    this.#links = links;
    this.#forwarding = forwarding;
  }

  send(request: UpstreamRequest, message: Message | undefined, sink: AnswerSink): UpstreamCall {
    if (request.method !== 'POST') return answerOwn(sink, undefined, 405, { allow: 'POST' });
    if (message?.kind !== 'request') return answerOwn(sink, undefined, 202);
    const fault = statelessFault(message);
    if (fault) return answerOwn(sink, faultAnswer(message, fault), fault.status);
    switch (message.method) {
      case 'server/discover':
        return answerOwn(sink, this.#discovered(message));
      case 'subscriptions/listen':
        return this.#listen(request, message, sink);
      default:
        return this.#forwarding.send(request, message, sink);
    }
  }

  #discovered({ id }: Request): JsonObject {
    const { name, description, capabilities } = this.#remix;
    const result = {
      resultType: 'complete',
      supportedVersions: [MODERN_VERSION],
      capabilities,
      ...(description === '' ? {} : { instructions: description }),
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [SERVER_INFO_KEY]: { name, version: VERSION } },
    };
    return { jsonrpc: '2.0', id, result };
  }

  /** Each source gets the request with the same id, so its notifications carry the client's subscription. */
  #listen({ headers }: UpstreamRequest, { id, method, params }: Request, sink: AnswerSink): UpstreamCall {
    const { composition } = this.#remix;
    const wanted = isObject(params['notifications']) ? params['notifications'] : {};
    const work = new WorkAllowance();
    const stamp = { _meta: { [SUBSCRIPTION_ID_KEY]: id } };
    const isWanted = (list: keyof typeof WANTED) => wanted[WANTED[list]] === true;
    const sources = composition.sources.map((source) => {
      const notifications = {
        ...wanted,
        ...narrowed(wanted, 'resourceSubscriptions', (uri) => {
          const route = composition.routeOf({ kind: 'resource', name: uri }, work);
          return route?.source === source ? route.name : undefined;
        }),
        ...narrowed(wanted, 'taskIds', (taskId) => {
          const opened = openKeyedId(taskId);
          return opened?.key === source.key ? opened.id : undefined;
        }),
      };
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, notifications } }));
      return {
        source,
        request: { method: 'POST' as const, headers, body },
        messages: new SourceMessages(composition, source.key),
        listChanges: listChangesOf(source, isWanted, stamp),
      };
    });
    return new MergedStream(sink, this.#links, sources, {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: wanted, ...stamp },
    });
  }
}

/** The texts of one list in the filter that belong to one source, in the source's form. */
function narrowed(wanted: JsonObject, property: string, own: (text: string) => string | undefined): JsonObject {
  const texts = wanted[property];
  if (!Array.isArray(texts)) return {};
  return { [property]: texts.flatMap((text) => (typeof text === 'string' ? (own(text) ?? []) : [])) };
}
