import {
  DateTime,
  Enum,
  Maybe,
  Parts,
  ProgramText,
  Sequence,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { stamps } from '../filters/field-schema.ts';
import { flag, ids, integer, limit, offset, operator, searchText, time } from '../filters/filter-schema.ts';

const record = {
  name: ProgramText(),
  /** The level as in Python's logging: 10 debug, 20 info, 30 warning, 40 error, 50 critical. */
  level: Type.Integer(),
  message: ProgramText(),
  timestamp: DateTime(),
  flow_run_id: Maybe(Uuid()),
  task_run_id: Maybe(Uuid()),
};

export const Log = Shape('Log', { ...stamps, ...record }, 'ignore');
export type Log = Static<typeof Log>;

export const LogCreate = Shape('LogCreate', record);
export type LogCreate = Static<typeof LogCreate>;

export const LogFilter = Shape('LogFilter', {
  operator,
  level: Maybe(Shape('LogFilterLevel', { ge_: integer, le_: integer })),
  timestamp: Maybe(Shape('LogFilterTimestamp', { before_: time, after_: time })),
  flow_run_id: Maybe(Shape('LogFilterFlowRunId', { any_: ids })),
  task_run_id: Maybe(Shape('LogFilterTaskRunId', { any_: ids, is_null_: flag })),
  text: Maybe(Shape('LogFilterTextSearch', { query: searchText })),
});
export type LogFilter = Static<typeof LogFilter>;

export const LogSort = Enum('LogSort', ['TIMESTAMP_ASC', 'TIMESTAMP_DESC']);
export type LogSort = Static<typeof LogSort>;

export const logBodies = {
  create: Sequence(LogCreate),
  filter: Parts(
    { offset, logs: Maybe(LogFilter), sort: withDefault(LogSort, 'TIMESTAMP_ASC'), limit },
    'Body_read_logs_logs_filter_post',
  ),
};
