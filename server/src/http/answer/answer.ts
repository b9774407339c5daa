/** The last stage of a request: encodes the handler's answer. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compileEncoder } from '../../schema/encode.ts';
import type { TSchema } from '../../schema/kinds.ts';
import { type Answer, PlainBody } from '../routes/route.ts';
import type { AnswerSource, SentAnswers } from './sent-answers.ts';

export interface Encoders {
  readonly byStatus: ReadonlyMap<number, (value: unknown) => string>;
  /**
   * Encodes an answer whose status the document does not name (201 when it says 200), if the document has only one
   * shape.
   */
  readonly other: ((value: unknown) => string) | undefined;
}

export function compileAnswers(responses: Readonly<Record<number, TSchema | null>>): Encoders {
  const encoders = Object.entries(responses).flatMap(([status, schema]) =>
    schema ? [[Number(status), compileEncoder(schema)] as const] : [],
  );
  return { byStatus: new Map(encoders), other: encoders[0]?.[1] };
}

export async function sendAnswer(
  encoders: Encoders,
  answer: Answer,
  answers: SentAnswers,
  source: AnswerSource,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.body instanceof PlainBody) {
    const { contentType, text } = answer.body;
    // The framework adds a charset to the type of text, but not to the type of bytes.
    return reply.type(contentType).send(typeof text === 'string' ? Buffer.from(text) : Readable.from(text));
  }
  const encode = encoders.byStatus.get(answer.status) ?? encoders.other;
  if (!encode || answer.body === undefined) return reply.send();
  return answers.send(encode(answer.body), source, request, reply);
}
