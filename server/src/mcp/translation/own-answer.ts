/** An answer of the gateway itself. */
import { guarded } from '../../watching/background.ts';
import type { JsonObject } from '../protocol/message.ts';
import type { AnswerSink, UpstreamCall } from '../upstream/upstream.ts';
import { Conversation } from './conversation.ts';

class OwnAnswer extends Conversation {
  protected override settled(): void {}
}

/** Answers in a later turn, like a server: the caller does not have the call before this returns. */
export function answerOwn(
  sink: AnswerSink,
  message: JsonObject | undefined,
  status = 200,
  headers: Record<string, string> = {},
): UpstreamCall {
  const answer = new OwnAnswer(sink);
  queueMicrotask(guarded('an answer of the gateway', () => answer.finish(message, status, headers)));
  return answer;
}
