/** The address's form of the filters of the list of runs, and of the search in logs. */
import { type SearchOf, text } from '../shell/search.ts';

export const runsSearch = {
  /** `task-runs`; flow runs when it is absent. */
  tab: text,
  /** A column, with `-` before it for descending order: `name`, `-duration`. By default, the latest runs come first. */
  sort: text,
  state: text,
  flow: text,
  deployment: text,
  tag: text,
  /** A part of a name, or a complete id. */
  name: text,
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  span: text,
};
export type RunsSearch = SearchOf<typeof runsSearch>;

export const logSearch = {
  level: text,
  /** Text that lines contain. */
  q: text,
};
export type LogSearch = SearchOf<typeof logSearch>;
