/** Finds out whether the answer to a request reports that the call failed. The text of the report is not kept. */
import { dataOf, EventSplitter } from './event-stream.ts';
import { isObject, isResponseTo, type MessageId } from './message.ts';

export type ReportedFailure =
  /** The result of a tool with `isError`. */
  | 'tool_error'
  /** An error of JSON-RPC. */
  | 'error_answer';

/** A text without it reports no failure. Most results say `"isError":false`. */
const MARK = /"(?:isError"\s*:\s*true|error"\s*:\s*\{)/;

/** `bytes` is the answer with a character for each byte. */
export function mayReportFailure(bytes: string): boolean {
  return MARK.test(bytes);
}

/** The failure that a whole JSON answer reports. */
export function failureIn(answer: string, id: MessageId | undefined): ReportedFailure | undefined {
  try {
    const message: unknown = JSON.parse(answer);
    if (id === undefined || !isResponseTo(message, id)) return undefined;
    if (isObject(message['error'])) return 'error_answer';
    return isObject(message['result']) && message['result']['isError'] === true ? 'tool_error' : undefined;
  } catch {
    return undefined;
  }
}

/** The failure that events report. An event that arrives in pieces is not detected. */
export function failureInEvents(chunk: Buffer, id: MessageId | undefined): ReportedFailure | undefined {
  if (!chunk.includes('rror"') || !mayReportFailure(chunk.toString('latin1'))) return undefined;
  for (const event of new EventSplitter().push(chunk)) {
    const found = failureIn(dataOf(event) ?? '', id);
    if (found) return found;
  }
  return undefined;
}
