/** The tables of backfills. */

/** Runs of a deployment for the dates of a past range, created and controlled as one. */
export const backfill = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  deployment_id: 'uuid',
  name: 'text',
  status: 'text',
  schedule: 'json',
  start_time: 'timestamp',
  end_time: 'timestamp',
  parameters: 'json',
  /** The parameter that receives the date of a run. */
  date_parameter: 'text?',
  /** Runs that are unfinished at the same time. */
  max_unfinished: 'integer',
  total: 'integer',
  /** The reason why no more runs are created until a person resumes the backfill. */
  problem: 'text?',
  ended: 'timestamp?',
  created_by: 'json?',
} as const;

/** A date of a backfill; `flow_run_id` is null until its run is created. */
export const backfill_date = {
  workspace: 'integer',
  backfill_id: 'uuid',
  position: 'integer',
  date: 'timestamp',
  flow_run_id: 'uuid?',
} as const;
