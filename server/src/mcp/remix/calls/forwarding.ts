/** The requests of a client of either era that go to sources: lists, capabilities and tasks. */

import type { Encryption } from '../../../encryption/encryption.ts';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../protocol/codes.ts';
import type { Era } from '../../protocol/era.ts';
import { errorResponse, type JsonObject, type Request } from '../../protocol/message.ts';
import { capabilityOf, unknownCapability } from '../../protocol/named-capability.ts';
import { isTaskMethod, mayAnswerWithTask } from '../../protocol/task-ids.ts';
import { answerOwn } from '../../translation/own-answer.ts';
import type { AnswerSink, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import { chosenListOf } from '../composition/composition.ts';
import type { Remix } from '../composition/remix.ts';
import type { RemixSource } from '../composition/selection.ts';
import type { Links } from '../sources/links.ts';
import { keyedId, openKeyedId } from '../sources/source-ids.ts';
import { SourceMessages } from '../sources/source-messages.ts';
import { requestForSource } from '../sources/source-requests.ts';
import { ListCall } from './list-call.ts';
import { type Passage, PassedCall } from './passed-call.ts';

export interface ForwardingOptions {
  readonly remix: Remix;
  readonly era: Era;
  readonly links: Links;
  readonly encryption: Encryption;
  /** Called with the server to which a request goes. */
  routed(serverId: string): void;
}

/** Called when a request goes to a source. Returns a function to call at the end of its answer. */
type Tracking = (source: RemixSource) => () => void;

/** Methods whose answers may refer to resources. */
const NAMING: ReadonlySet<string> = new Set(['resources/read', 'tools/call', 'prompts/get']);

const untracked: Tracking = () => () => {};

interface Asked {
  /** The request with this answer; undefined for a notification or an answer of the client. */
  readonly message?: Request;
  readonly tool?: Passage['tool'];
  readonly track?: Tracking;
}

export class Forwarding {
  readonly #options: ForwardingOptions;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  send(request: UpstreamRequest, message: Request, sink: AnswerSink, track = untracked): UpstreamCall {
    const { remix, era } = this.#options;
    const { id, method } = message;
    const list = chosenListOf(method);
    if (list) {
      const { composition } = remix;
      return this.#list(request, message, sink, list, composition.sourcesIn(list), (key, item) =>
        composition.itemsOf(key, list, item),
      );
    }
    if (method === 'tasks/list') {
      return this.#list(request, message, sink, 'tasks', remix.composition.sources, (key, item) => [
        { ...item, taskId: keyedId(key, String(item['taskId'])) },
      ]);
    }
    if (isTaskMethod(method)) {
      const source = this.#taskSource(message);
      if (source) return this.pass(source, requestForSource(request, message), sink, { message, track });
      return answerOwn(sink, errorResponse(id, INVALID_PARAMS, 'Task not found'));
    }
    const capability = capabilityOf(message);
    if (capability === undefined) {
      return answerOwn(sink, errorResponse(id, METHOD_NOT_FOUND, 'Method not found'), era === 'modern' ? 404 : 200);
    }
    if (capability === 'unnamed') {
      return answerOwn(sink, errorResponse(id, INVALID_PARAMS, 'The parameters do not name a capability.'));
    }
    const { code, message: text, data } = unknownCapability(capability, era);
    const unknown = errorResponse(id, code, text, data);
    const route = remix.composition.routeOf(capability, new WorkAllowance());
    if (!route) return answerOwn(sink, unknown);
    const tool = capability.kind === 'tool' ? { name: route.name, heldBack: unknown } : undefined;
    const renamed = route.name === capability.name ? undefined : route.name;
    return this.pass(route.source, requestForSource(request, message, renamed), sink, { message, tool, track });
  }

  pass(source: RemixSource, request: UpstreamRequest, sink: AnswerSink, asked: Asked = {}): UpstreamCall {
    const { message, tool, track = untracked } = asked;
    const { remix, links, routed } = this.#options;
    routed(source.serverId);
    return new PassedCall(sink, {
      source,
      links,
      request,
      tool,
      messages: new SourceMessages(remix.composition, source.key),
      answer: {
        mayHoldTasks: mayAnswerWithTask(message),
        namesResources: NAMING.has(message?.method ?? '') && remix.composition.renamesResources(source.key),
      },
      isRequest: message !== undefined,
      settled: track(source),
    });
  }

  #list(
    { headers }: UpstreamRequest,
    message: Request,
    sink: AnswerSink,
    property: string,
    sources: readonly RemixSource[],
    itemsOf: (key: number, item: JsonObject) => JsonObject[],
  ): UpstreamCall {
    const { remix, era, links, encryption } = this.#options;
    const question = { remixId: remix.id, era, request: message, headers, property, sources, links, itemsOf };
    const call = new ListCall(sink, question, encryption);
    call.begin();
    return call;
  }

  #taskSource({ params }: Request): RemixSource | undefined {
    const { taskId } = params;
    const opened = typeof taskId === 'string' ? openKeyedId(taskId) : undefined;
    return opened && this.#options.remix.composition.sourceOf(opened.key);
  }
}
