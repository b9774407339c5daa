/** The address's form of the filters of the list of runs. */
import { text } from '../shell/search.ts';

export interface RunsSearch {
  /** `task-runs`; flow runs when it is absent. */
  readonly tab?: string | undefined;
  /** A column, with `-` before it for descending order: `name`, `-duration`. By default, the latest runs come first. */
  readonly sort?: string | undefined;
  readonly state?: string | undefined;
  readonly flow?: string | undefined;
  readonly deployment?: string | undefined;
  readonly tag?: string | undefined;
  /** A part of a name, or a complete id. */
  readonly name?: string | undefined;
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  readonly span?: string | undefined;
}

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return {
    tab: text(search['tab']),
    sort: text(search['sort']),
    state: text(search['state']),
    flow: text(search['flow']),
    deployment: text(search['deployment']),
    tag: text(search['tag']),
    name: text(search['name']),
    span: text(search['span']),
  };
}
