/** The address's form of the filters of the log. */
import { flag, oneOf, type SearchOf, text } from '../shell/search.ts';

export const outcomes = ['ok', 'denied', 'invalid', 'failed'] as const;

export const requestsSearch = {
  server: text,
  actor: text,
  capability: text,
  method: text,
  client: text,
  outcome: oneOf(...outcomes),
  /** Limits the log to requests whose outcome is not ok. */
  errors: flag,
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  span: text,
  /** `server id` and `request id` of the open request, with a slash between them. */
  open: text,
};
export type RequestsSearch = SearchOf<typeof requestsSearch>;
