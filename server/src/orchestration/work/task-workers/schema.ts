/** Wire shapes of task workers: processes of the client that run background tasks. */
import { DateTime, Maybe, Parts, Shape, type Static, Type } from '../../../schema/kinds.ts';
import { MAX_LIST_VALUES, SearchedText, ValueList } from '../../../schema/value-list.ts';

const TaskWorkerFilter = Shape('TaskWorkerFilter', { task_keys: ValueList(SearchedText) }, 'ignore');

export const taskWorkerBodies = {
  filter: Parts({ task_worker_filter: Maybe(TaskWorkerFilter) }, 'Body_read_task_workers_task_workers_filter_post'),
};

export const TaskWorkerResponse = Shape(
  'TaskWorkerResponse',
  { identifier: Type.String(), task_keys: Type.Array(Type.String()), timestamp: DateTime() },
  'ignore',
);
export type TaskWorkerResponse = Static<typeof TaskWorkerResponse>;

/** The first frame of a task worker. Empty keys and names count as missing. */
export const SubscribeMessage = Shape(
  'SubscribeMessage',
  {
    keys: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_LIST_VALUES }),
    client_id: Type.String({ minLength: 1 }),
  },
  'ignore',
);
export type SubscribeMessage = Static<typeof SubscribeMessage>;
