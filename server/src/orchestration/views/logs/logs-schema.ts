import { valuesParts, whereOf } from '../../../database/lists/where-schema.ts';
import {
  DateTime,
  described,
  Maybe,
  Nullable,
  OneOf,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { logFieldNames } from '../../logs/search/fields.ts';

/** The position between a page of log lines and the next. */
const LogPagePosition = Shape('LogPagePosition', { timestamp: DateTime(), id: Uuid() }, 'ignore');

const MAX_PAGE = 200;
const LONGEST_TEXT = 200;

const filter = {
  where: described(
    whereOf('LogCondition', logFieldNames),
    'Conditions on `level` (the least one: `debug`, `info`, `warning`, `error` or `critical`), `flow`, `deployment` (or `flow/deployment`), `run` and `task` (ids or names) and `logger`.',
  ),
  q: described(
    withDefault(Type.String({ maxLength: LONGEST_TEXT }), ''),
    'Words, or their beginnings of three or more characters, which must all occur. Quotes make a phrase, `-` excludes. In scripts without spaces each character is a word.',
  ),
  match: described(
    withDefault(OneOf(['words', 'parts']), 'words'),
    '`parts` also finds the text within words: in a run, a flow, a deployment, a task run or a day.',
  ),
  since: described(Maybe(DateTime()), 'Lines from this time on.'),
  until: described(Maybe(DateTime()), 'Lines until this time.'),
};
const LogsViewFilter = Type.Object(filter);
export type LogsViewFilter = Static<typeof LogsViewFilter>;

export const LogsViewBody = Parts(
  {
    ...filter,
    limit: withDefault(Type.Integer({ minimum: 1, maximum: MAX_PAGE }), 50),
    after: described(Maybe(LogPagePosition), 'The `next` of the previous page.'),
  },
  'Body_read_logs_view_views_logs_post',
);
export type LogsViewBody = Static<typeof LogsViewBody>;

export const LogValuesBody = Parts(
  { ...filter, ...valuesParts(logFieldNames) },
  'Body_read_log_values_views_logs_values_post',
);
export type LogValuesBody = Static<typeof LogValuesBody>;

const LogLine = Shape(
  'LogLine',
  {
    id: Uuid(),
    timestamp: DateTime(),
    level: Type.Integer(),
    name: described(Type.String(), 'The logger.'),
    message: described(Type.String(), 'The first 16,384 characters.'),
    is_cut: described(Type.Boolean(), 'True if the message goes on.'),
    flow_run_id: Nullable(Uuid()),
    flow_run_name: described(Nullable(Type.String()), 'Null also for a deleted run.'),
    flow_id: Nullable(Uuid()),
    flow_name: Nullable(Type.String()),
    task_run_id: Nullable(Uuid()),
    task_run_name: Nullable(Type.String()),
  },
  'ignore',
);

export const LogsView = Shape(
  'LogsView',
  {
    as_of: DateTime(),
    lines: Type.Array(LogLine),
    next: described(
      Nullable(LogPagePosition),
      'Null at the end. A short or empty page may still have a next one, because a request reads a bounded number of lines.',
    ),
    is_indexed: described(
      Type.Boolean(),
      'False if the server keeps no index of words: a text is then searched within a run, a flow or a day.',
    ),
    indexed_since: described(
      Nullable(DateTime()),
      'Set while older lines are being indexed: a search by words finds lines from this time on.',
    ),
  },
  'ignore',
);
