/**
 * A list of the remix, combined from one page of each source that may contribute to it. A source that fails, or takes
 * too long, is left out, and `_meta` names it. The cursor contains those of the sources.
 */

import type { Encryption } from '../../../encryption/encryption.ts';
import { openId, sealId } from '../../../encryption/sealed-id.ts';
import { inBackground } from '../../../watching/background.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../protocol/codes.ts';
import type { Era } from '../../protocol/era.ts';
import {
  errorResponse,
  isObject,
  type JsonObject,
  type MessageId,
  type Request,
  readMessage,
} from '../../protocol/message.ts';
import { Conversation } from '../../translation/conversation.ts';
import { ask } from '../../upstream/ask.ts';
import { type AnswerSink, REFUSED_CREDENTIAL, UpstreamError } from '../../upstream/upstream.ts';
import type { RemixSource } from '../composition/selection.ts';
import type { Link, Links } from '../sources/links.ts';
import { type FoundSource, naming } from '../sources/sources.ts';

/** Time that a source has for its page, including its start. */
const PAGE_SECONDS = 10;
/** Longer cursors of a source would make those of the remix too long for a request. */
const MAX_CURSOR = 1000;
/** A list of a source is cut after this many pages or items, because it may be endless. */
const MAX_PAGES = 200;
const MAX_ITEMS = 20_000;
const CURSOR = 'remix cursor';
/** The key of `_meta` with the names of the omitted sources. */
const UNAVAILABLE_KEY = 'signalbox/unavailable';

interface ListQuestion {
  readonly remixId: string;
  readonly era: Era;
  readonly request: Request;
  /** The headers of the client's request that concern its content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly property: string;
  readonly sources: readonly RemixSource[];
  readonly links: Links;
  /** Converts an item of a source. */
  itemsOf(key: number, item: JsonObject): JsonObject[];
}

/** The reading position in the list of one source. */
interface Progress {
  /** The cursor of the next page; undefined for the first. */
  readonly cursor: string | undefined;
  readonly pages: number;
  readonly items: number;
}

const FIRST: Progress = { cursor: undefined, pages: 0, items: 0 };

interface Asked {
  readonly source: RemixSource;
  /** The row as of this request; a link may be older. */
  readonly row: FoundSource;
  readonly progress: Progress;
}

/** The page of one source. */
interface Page {
  readonly key: number;
  readonly items: readonly JsonObject[];
  /** The position of the next page; undefined on the last page. */
  readonly next: Progress | undefined;
  /** The reason why there is no next page, although the source has one. */
  readonly cut?: UpstreamError | undefined;
}

export class ListCall extends Conversation {
  readonly #question: ListQuestion;
  readonly #encryption: Encryption;
  readonly #left = new AbortController();

  constructor(sink: AnswerSink, question: ListQuestion, encryption: Encryption) {
    super(sink);
    this.#question = question;
    this.#encryption = encryption;
  }

  begin(): void {
    const { request, sources } = this.#question;
    const cursors = this.#cursorsIn(request.params['cursor']);
    if (!cursors) {
      this.finish(errorResponse(request.id, INVALID_PARAMS, 'Invalid cursor'));
      return;
    }
    const asked = sources.filter(({ key }) => cursors === 'first' || cursors.has(key));
    const pages = asked.map((source) =>
      this.#pageOf(source, (cursors === 'first' ? undefined : cursors.get(source.key)) ?? FIRST),
    );
    inBackground(
      'a list of a remix',
      async () => {
        const settled = await Promise.allSettled(pages);
        if (!this.over) this.#answer(request.id, settled);
      },
      () => this.fail(new UpstreamError('answer', 'The lists could not be merged.')),
    );
  }

  protected override settled(): void {
    this.#left.abort();
  }

  #answer(id: MessageId, settled: readonly PromiseSettledResult<Page>[]): void {
    const pages = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failures = settled.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as UpstreamError] : (one.value.cut ?? []),
    );
    if (pages.length === 0 && failures.length > 0) {
      this.fail(new UpstreamError('unavailable', failures.map(({ message }) => message).join(' ')));
      return;
    }
    const { property, era } = this.#question;
    const cursor = this.#cursorOf(pages);
    const result = {
      ...(era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}),
      [property]: pages.flatMap(({ items }) => items),
      ...(cursor === undefined ? {} : { nextCursor: cursor }),
      ...(failures.length === 0 ? {} : { _meta: { [UNAVAILABLE_KEY]: failures.map(({ message }) => message) } }),
    };
    this.finish({ jsonrpc: '2.0', id, result });
  }

  /** Rejects with UpstreamError. */
  async #pageOf(source: RemixSource, progress: Progress): Promise<Page> {
    const { links } = this.#question;
    const row = await links.find(source);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(naming(row.name, new UpstreamError('timeout', 'The server did not answer in time.')));
    }, PAGE_SECONDS * 1000);
    // A server that is starting continues to start, and is ready for the next request.
    const read = links.reach(source, row).then((link) => this.#ask({ source, row, progress }, link, 'first'));
    return Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
  }

  async #ask({ source, row, progress }: Asked, link: Link, attempt: 'first' | 'second'): Promise<Page> {
    const { request, property, headers, links, itemsOf } = this.#question;
    const { cursor: _own, ...params } = request.params;
    const { cursor } = progress;
    const message = {
      jsonrpc: '2.0',
      id: request.id,
      method: request.method,
      params: cursor === undefined ? params : { ...params, cursor },
    };
    const options = { read: readMessage, signal: this.#left.signal };
    const answer = await ask(
      link.upstream,
      'POST',
      // The gateway reads its answer, so the client's `accept` does not matter.
      { ...headers, ...link.headers, accept: 'application/json, text/event-stream' },
      message,
      PAGE_SECONDS,
      options,
    ).catch((error: unknown) => {
      throw naming(row.name, error);
    });
    if (answer.status === 404 && attempt === 'first' && link.headers['mcp-session-id'] !== undefined) {
      links.forget(source, link);
      return this.#ask({ source, row, progress }, await links.reach(source, row), 'second');
    }
    const result = answer.message?.['result'];
    const items = isObject(result) ? result[property] : undefined;
    if (!Array.isArray(items)) {
      // Some servers offer resources but do not support templates.
      if (isMissing(answer.message)) return { key: source.key, items: [], next: undefined };
      throw naming(row.name, new UpstreamError('answer', refusalIn(answer.status)));
    }
    const told = isObject(result) ? result['nextCursor'] : undefined;
    const next =
      typeof told === 'string' && told.length <= MAX_CURSOR ? after(progress, told, items.length) : undefined;
    const { approvals } = row;
    const isOffered = (item: JsonObject) =>
      property !== 'tools' || !approvals || approvals.isAsApproved(String(item['name']), item);
    return {
      key: source.key,
      items: items.flatMap((item) => (isObject(item) && isOffered(item) ? itemsOf(source.key, item) : [])),
      ...(next === 'endless' ? { next: undefined, cut: naming(row.name, endless()) } : { next }),
    };
  }

  /** The positions of the sources that have another page; `first` without a cursor, undefined for an invalid one. */
  #cursorsIn(given: unknown): 'first' | Map<number, Progress> | undefined {
    // Some clients send an empty cursor for the first page.
    if (given === undefined || given === '') return 'first';
    const content = typeof given === 'string' ? openId(this.#encryption, CURSOR, given) : undefined;
    if (!content) return undefined;
    const [remixId, method, ...cursors] = content;
    if (remixId !== this.#question.remixId || method !== this.#question.request.method) return undefined;
    return new Map(
      (cursors as [number, string, number, number][]).map(([key, cursor, pages = 0, items = 0]) => [
        key,
        { cursor, pages, items },
      ]),
    );
  }

  #cursorOf(pages: readonly Page[]): string | undefined {
    const cursors = pages.flatMap(({ key, next }) => (next ? [[key, next.cursor, next.pages, next.items]] : []));
    if (cursors.length === 0) return undefined;
    const { remixId, request } = this.#question;
    return sealId(this.#encryption, CURSOR, [remixId, request.method, ...cursors]);
  }
}

/** The position of the next page; `endless` when the list does not advance. */
function after({ cursor, pages, items }: Progress, next: string, read: number): Progress | 'endless' {
  const progress = { cursor: next, pages: pages + 1, items: items + read };
  return next === cursor || progress.pages >= MAX_PAGES || progress.items >= MAX_ITEMS ? 'endless' : progress;
}

function endless(): UpstreamError {
  const text = `Its list does not end and was cut: the cursor does not change, or there are ${MAX_PAGES} pages or ${MAX_ITEMS} items.`;
  return new UpstreamError('answer', text);
}

function isMissing(message: Readonly<JsonObject> | undefined): boolean {
  const error = message?.['error'];
  return isObject(error) && error['code'] === METHOD_NOT_FOUND;
}

function refusalIn(status: number): string {
  return status === 401 || status === 407 ? REFUSED_CREDENTIAL : 'The server does not answer with a list.';
}
