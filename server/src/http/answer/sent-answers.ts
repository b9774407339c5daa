/**
 * Sends answers of any size within limits of memory. A large answer counts for its workspace until its reader has it,
 * and the large values of a list are read one by one while it is sent.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LargeValue, readLargeValue, splitAtLargeValues } from '../../database/lists/large-values.ts';
import type { Db } from '../../database/store.ts';
import { Unavailable } from '../../errors.ts';
import type { Capacity } from '../../fairness/capacity.ts';
import { Gate, TWO_THIRDS } from '../../fairness/gate.ts';
import type { RequestPlace } from '../../fairness/requests-under-way.ts';
import { nextTurn } from '../../fairness/turns.ts';
import { atClose } from '../../network/at-close.ts';
import { freeBytes } from '../../network/free-bytes.ts';
import { signalOf } from '../request/client-gone.ts';
import { compressed, readsGzip } from './compress.ts';

/** Smaller answers do not count, because the number of connections limits them. */
const COUNTED_BYTES = 64 * 1024;
/** The part of all bytes of answers that one workspace may hold. A larger answer is sent when it is the only one. */
const SHARE = 1 / 4;
/** Large values that are sent at the same time. One workspace gets at most two thirds of them. */
const VALUES = 6;
const WAIT_MILLISECONDS = 60_000;
const MAX_WAITING = 1000;
/** Time for a reader to receive an answer or a large value, plus one second for each of so many bytes. */
const READER_SECONDS = 30;
const READER_BYTES_PER_SECOND = 16 * 1024;

/** The facts about a request that sending its answer needs. */
export interface AnswerSource {
  /** The workspace or organization whose share the answer takes. */
  readonly holder: string;
  /** The request's place, which it leaves while the answer waits for its reader. */
  readonly place: RequestPlace;
  /** Reads the large values that rows of the answer omitted; absent if rows omit none. */
  readonly reads?: (signal: AbortSignal) => Db;
  /** Edits the JSON for callers that may not read all of it. */
  readonly withhold?: (json: string) => string;
}

type ReadingSource = AnswerSource & Required<Pick<AnswerSource, 'reads'>>;

export class SentAnswers {
  readonly #held: Gate;
  readonly #places = new Gate({
    name: 'large values',
    places: VALUES,
    levels: [TWO_THIRDS],
    waits: { milliseconds: WAIT_MILLISECONDS, mostOfOne: MAX_WAITING },
  });

  readonly #mostOfOne: number;

  constructor({ answerBytes }: Pick<Capacity, 'answerBytes'>) {
    this.#mostOfOne = answerBytes * SHARE;
    this.#held = new Gate({ name: 'answers', places: answerBytes, levels: [{ most: this.#mostOfOne }] });
  }

  /** Sends JSON. Throws Unavailable while too many answers of the workspace wait for their readers. */
  async send(json: string, source: AnswerSource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('content-type', 'application/json');
    const encoding = request.headers['accept-encoding'];
    const text = source.withhold ? source.withhold(json) : json;
    const { reads } = source;
    const parts = reads ? splitAtLargeValues(text) : [text];
    if (reads && parts.length > 1) return this.#sendParts(parts, { ...source, reads }, encoding, reply);
    this.#hold(source.holder, text.length, reply.raw);
    const smaller = await compressed(text, encoding);
    return smaller ? endWith(smaller, asGzip(reply)) : endWith(text, reply);
  }

  /** Counts the answer until the connection has taken it. */
  #hold(holder: string, length: number, response: ServerResponse): void {
    // A client that has already left sends no `close` event again.
    if (length < COUNTED_BYTES || response.destroyed) return;
    const size = Math.min(length, this.#mostOfOne);
    const release = this.#held.take([holder], size);
    if (!release)
      throw new Unavailable('The server is sending too many large answers of this workspace. Try again in a moment.');
    const timer = closeIfSlow(response, length);
    atClose(response, () => {
      clearTimeout(timer);
      release();
    });
  }

  async #sendParts(
    parts: readonly (string | LargeValue)[],
    source: ReadingSource,
    encoding: string | undefined,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const zip = readsGzip(encoding) ? createGzip({ level: constants.Z_BEST_SPEED }) : undefined;
    if (zip) asGzip(reply);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(raw.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    // The head has been sent, so a later failure cuts the answer off.
    source.place.leave();
    try {
      const zipped = zip && pipeline(zip, raw);
      await Promise.all([zipped, this.#write(parts, source, zip ?? raw, raw)]);
    } catch {
      zip?.destroy();
      raw.destroy();
    }
    return reply;
  }

  /** Writes each piece after the previous one has left, so that the process holds one value of this answer. */
  async #write(
    parts: readonly (string | LargeValue)[],
    source: ReadingSource,
    target: Writable,
    response: ServerResponse,
  ): Promise<void> {
    const signal = signalOf(response);
    const write = target === response ? writeText : writeBytes;
    for await (const piece of this.#pieces(parts, source, response, signal)) await write(piece, target, signal);
    target.end();
  }

  async *#pieces(
    parts: readonly (string | LargeValue)[],
    { reads, holder, withhold }: ReadingSource,
    response: ServerResponse,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const db = reads(signal);
    for (const part of parts) {
      if (typeof part === 'string') {
        yield part;
        continue;
      }
      const release = await this.#places.acquire([holder], { signal });
      let timer: NodeJS.Timeout | undefined;
      try {
        await nextTurn();
        const value = await readLargeValue(db, part);
        if (value === undefined) throw new Error('The row was deleted while the list was sent.');
        timer = closeIfSlow(response, value.length);
        yield withhold ? withheldValue(part.column, value, withhold) : value;
      } finally {
        clearTimeout(timer);
        release();
      }
    }
  }
}

/** Resolves when the piece has left. A connection takes text without keeping a copy of it in this process. */
function writeText(piece: string | Buffer, target: Writable, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const gone = () => reject(new Error('The client has disconnected.'));
    if (signal.aborted) return gone();
    signal.addEventListener('abort', gone, { once: true });
    target.write(piece, (error) => {
      signal.removeEventListener('abort', gone);
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Writes to a stream that reads bytes, and frees them immediately, because the garbage collector hardly counts them.
 */
async function writeBytes(piece: string, target: Writable, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(piece);
  await writeText(bytes, target, signal);
  // A short buffer shares its memory with others.
  if (bytes.buffer.byteLength === bytes.length) freeBytes(bytes);
}

/** Bypasses the framework, which adds a charset to the content type of text. Head and text are sent as one piece. */
function endWith(body: string | Buffer, reply: FastifyReply): FastifyReply {
  reply.hijack();
  const { raw, statusCode } = reply;
  const headers = { ...reply.getHeaders(), 'content-length': Buffer.byteLength(body) };
  raw.writeHead(statusCode, headers as OutgoingHttpHeaders);
  raw.end(body);
  return reply;
}

function asGzip(reply: FastifyReply): FastifyReply {
  return reply.header('content-encoding', 'gzip').header('vary', 'Accept-Encoding, Origin');
}

/** Closes the connection of a reader that exceeds its time. */
function closeIfSlow(response: ServerResponse, length: number): NodeJS.Timeout {
  const seconds = READER_SECONDS + length / READER_BYTES_PER_SECOND;
  return setTimeout(() => response.destroy(), seconds * 1000).unref();
}

/** Edits a value of the answer; the name of its field decides what may be in it. */
function withheldValue(column: string, value: string, withhold: (json: string) => string): string {
  const head = `{${JSON.stringify(column)}:`;
  return withhold(`${head}${value}}`).slice(head.length, -1);
}
