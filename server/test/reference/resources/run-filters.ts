import {
  type FilterShape,
  flag,
  idCriterion,
  idsOf,
  nameCriterion,
  namesOf,
  nullableTimeCriterion,
  oneOf,
  pieceOf,
  tagCriterion,
  timeCriterion,
} from '../generate/filters.ts';
import { STATE_NAMES, STATE_TYPES } from '../generate/states.ts';

/** The filters that several list routes share, because a list may be narrowed by objects related to its rows. */

const stateNames = [...Object.values(STATE_NAMES).flat(), 'Completed', 'Failed', 'Running', 'Pending'];

export const flowRunFilter: FilterShape = {
  combines: true,
  criteria: {
    id: { operators: { any_: idsOf('flow_run'), not_any_: idsOf('flow_run') } },
    name: nameCriterion('flow_run'),
    tags: tagCriterion('any_'),
    deployment_id: { operators: { any_: idsOf('deployment'), is_null_: flag }, combines: true },
    work_queue_name: { operators: { any_: namesOf('work_queue'), is_null_: flag }, combines: true },
    state: {
      operators: {
        type: { operators: { any_: oneOf(...STATE_TYPES), not_any_: oneOf(...STATE_TYPES) } },
        name: { operators: { any_: oneOf(...stateNames), not_any_: oneOf(...stateNames) } },
      },
      combines: true,
    },
    flow_version: { operators: { any_: oneOf('1.0', '2', 'none') } },
    start_time: nullableTimeCriterion,
    end_time: nullableTimeCriterion,
    expected_start_time: timeCriterion,
    next_scheduled_start_time: timeCriterion,
    parent_flow_run_id: { operators: { any_: idsOf('flow_run') }, combines: true },
    parent_task_run_id: { operators: { any_: idsOf('task_run'), is_null_: flag }, combines: true },
    idempotency_key: {
      operators: { any_: namesOf('flow_run', 'idempotency_key'), not_any_: namesOf('flow_run', 'idempotency_key') },
    },
    created_by: {
      operators: { id_: idsOf('automation'), type_: oneOf('AUTOMATION', 'SCHEDULE', 'USER'), is_null_: flag },
      combines: true,
    },
  },
};

export const taskRunFilter: FilterShape = {
  combines: true,
  criteria: {
    id: idCriterion('task_run'),
    name: nameCriterion('task_run'),
    tags: tagCriterion(),
    state: {
      operators: {
        type: { operators: { any_: oneOf(...STATE_TYPES) } },
        name: { operators: { any_: oneOf(...stateNames) } },
      },
      combines: true,
    },
    start_time: nullableTimeCriterion,
    end_time: nullableTimeCriterion,
    expected_start_time: timeCriterion,
    subflow_runs: { operators: { exists_: flag } },
    flow_run_id: { operators: { any_: idsOf('flow_run'), is_null_: flag }, combines: true },
  },
};

export const deploymentFilter: FilterShape = {
  combines: true,
  criteria: {
    id: { operators: { any_: idsOf('deployment'), not_any_: idsOf('deployment') } },
    name: nameCriterion('deployment'),
    flow_or_deployment_name: { operators: { like_: pieceOf('deployment') } },
    paused: { operators: { eq_: flag } },
    tags: tagCriterion('any_'),
    work_queue_name: { operators: { any_: namesOf('work_queue') } },
    concurrency_limit: {
      operators: { ge_: (world) => world.random.int(0, 3), le_: (world) => world.random.int(0, 3), is_null_: flag },
    },
  },
};

export const workPoolFilter: FilterShape = {
  combines: true,
  criteria: {
    id: idCriterion('work_pool'),
    name: { operators: { any_: namesOf('work_pool') } },
    type: { operators: { any_: oneOf('process', 'docker', 'prefect-agent') } },
  },
};

export const workQueueFilter: FilterShape = {
  combines: true,
  criteria: {
    id: idCriterion('work_queue'),
    name: {
      operators: {
        any_: namesOf('work_queue'),
        startswith_: (world) => [world.random.pick(['queue', 'QUEUE', 'd', '', '%', 'default'])],
      },
    },
  },
};
