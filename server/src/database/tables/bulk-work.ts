/** The tables of changes of many runs. */

/** One change of many runs, which the service does in steps. */
export const bulk_work = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  action: 'text',
  /** The state that is proposed, if the action is `set_state`. */
  state: 'json?',
  force: 'boolean',
  status: 'text',
  starts_at: 'timestamp',
  ended: 'timestamp?',
  total: 'integer',
  /** The next run follows the `done`, the `skipped` and the `failed` ones. */
  done: 'integer',
  skipped: 'integer',
  failed: 'integer',
  /** The first failures. */
  failures: 'json',
  /** The reason why the rest is not done. */
  problem: 'text?',
  /** The actor whose rights count; null where the access mode identifies none. */
  created_by: 'json?',
} as const;

/** A part of the runs of a bulk work, in the order of their ids. It is deleted when the work ends. */
export const bulk_work_part = {
  workspace: 'integer',
  bulk_work_id: 'uuid',
  number: 'integer',
  flow_run_ids: 'json',
} as const;
