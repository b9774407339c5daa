/** Converts the messages of a source to messages of the remix: ids of questions and tasks, and URIs of resources. */
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { readExactly } from '../../protocol/exact-json.ts';
import { isObject, type JsonObject, kindOf } from '../../protocol/message.ts';
import { RELATED_TASK_KEY } from '../../protocol/meta.ts';
import { ELICITATION_COMPLETE, pagesRequiredBy } from '../../protocol/url-elicitation.ts';
import type { Composition } from '../composition/composition.ts';
import { keyedId, questionIdFor } from './source-ids.ts';

/**
 * A text without any of these is forwarded unchanged. The keys have no other spelling, because escapes are searched
 * too.
 */
const MARKS = ['"method"', 'taskId', 'elicitationId', '\\u'];

export interface SourceAnswer {
  /** True if the answer may contain ids of tasks outside of `_meta`. */
  readonly mayHoldTasks: boolean;
  /** True if the answer may name resources, some of which have another URI at the remix. */
  readonly namesResources: boolean;
}

export class SourceMessages {
  readonly #composition: Composition;
  readonly #key: number;

  constructor(composition: Composition, key: number) {
    this.#composition = composition;
    this.#key = key;
  }

  /** Returns the same text, another one, or undefined when it is not for clients of the remix. */
  toClient(text: string, answer: SourceAnswer): string | undefined {
    if (!answer.namesResources && !MARKS.some((mark) => text.includes(mark))) return text;
    const message = readExactly(text);
    if (!isObject(message)) return undefined;
    switch (kindOf(message)) {
      case 'request':
        this.#question(message);
        break;
      case 'notification':
        if (!this.#notice(message)) return undefined;
        break;
      case 'response':
        this.#answer(message, answer);
        break;
      default:
        return undefined;
    }
    return JSON.stringify(message);
  }

  #question(message: JsonObject): void {
    message['id'] = questionIdFor(this.#key, message['id']);
    const meta = metaIn(message['params']);
    if (meta?.['progressToken'] !== undefined) {
      meta['progressToken'] = questionIdFor(this.#key, meta['progressToken']);
    }
    this.#relatedTask(message['params']);
    this.#page(message['params']);
  }

  /** False when it concerns a resource that the remix does not offer. */
  #notice({ method, params }: JsonObject): boolean {
    if (!isObject(params)) return true;
    this.#relatedTask(params);
    if (method === 'notifications/resources/updated') {
      const uri =
        typeof params['uri'] === 'string'
          ? this.#composition.uriOf(this.#key, params['uri'], new WorkAllowance())
          : undefined;
      params['uri'] = uri;
      return uri !== undefined;
    }
    if (typeof method === 'string' && method.startsWith('notifications/tasks')) this.#task(params);
    if (method === ELICITATION_COMPLETE) this.#page(params);
    return true;
  }

  #answer(message: JsonObject, { mayHoldTasks, namesResources }: SourceAnswer): void {
    for (const page of pagesRequiredBy(message) ?? []) this.#page(page);
    const { result } = message;
    if (!isObject(result)) return;
    this.#relatedTask(result);
    this.#relatedTask(result['result']);
    if (mayHoldTasks) {
      this.#task(result);
      this.#task(result['task']);
    }
    if (!namesResources) return;
    const work = new WorkAllowance();
    for (const named of resourcesIn(result)) {
      if (typeof named['uri'] === 'string') {
        named['uri'] = this.#composition.uriOf(this.#key, named['uri'], work) ?? named['uri'];
      }
    }
  }

  #relatedTask(holder: unknown): void {
    this.#task(metaIn(holder)?.[RELATED_TASK_KEY]);
  }

  /** A client opens the pages of several sources, which choose their ids independently. */
  #page(holder: unknown): void {
    if (isObject(holder) && typeof holder['elicitationId'] === 'string') {
      holder['elicitationId'] = keyedId(this.#key, holder['elicitationId']);
    }
  }

  #task(holder: unknown): void {
    if (isObject(holder) && typeof holder['taskId'] === 'string') {
      holder['taskId'] = keyedId(this.#key, holder['taskId']);
    }
  }
}

/** The resources in an answer: their contents, links to them, and those embedded in its messages. */
function resourcesIn({ contents, content, messages }: JsonObject): JsonObject[] {
  const blocks = [
    ...listed(content),
    ...listed(messages).flatMap((message) => [message['content']].flat().filter(isObject)),
  ];
  return [
    ...listed(contents),
    ...blocks.flatMap((block) => {
      if (block['type'] === 'resource_link') return [block];
      return block['type'] === 'resource' && isObject(block['resource']) ? [block['resource']] : [];
    }),
  ];
}

function listed(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function metaIn(holder: unknown): JsonObject | undefined {
  const meta = isObject(holder) ? holder['_meta'] : undefined;
  return isObject(meta) ? meta : undefined;
}
