/**
 * The freedoms of the wire contract, by field name: which numbers grow with the clock, which arrays are sets, which
 * values are the client's own JSON. All other fields are compared exactly.
 */

/** Numbers that depend on the clock, with the seconds by which they may differ. */
export const CLOCK_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['estimated_run_time', 5],
  ['estimated_start_time_delta', 5],
  ['total_run_time', 5],
  ['delay_seconds', 5],
  ['lateness', 5],
  ['duration', 5],
  ['time_in_current_state', 5],
  ['sum_estimated_run_time', 60],
  ['sum_estimated_lateness', 60],
]);

/** Arrays of texts without a promised order. */
export const TEXT_SETS: ReadonlySet<string> = new Set([
  'tags',
  'pause_keys',
  'after',
  'expect',
  'for_each',
  'capabilities',
  'block_capabilities',
  'deleted',
  'root_node_ids',
  'updated_fields',
]);

/** Arrays of objects without a promised order, inside answers. */
export const OBJECT_SETS: ReadonlySet<string> = new Set([
  'schedules',
  'nodes',
  'parents',
  'children',
  'encapsulating',
  'artifacts',
  'states',
  'flow_runs',
]);

/**
 * JSON of the client, or an echo of the request: no field name has a meaning in it. The payload of an event is not
 * listed, because the server's own events describe changes in it.
 */
export const OPEN_FIELDS: ReadonlySet<string> = new Set([
  'parameters',
  'context',
  'data',
  'value',
  'labels',
  'job_variables',
  'metadata_',
  'parameter_openapi_schema',
  'pull_steps',
  'base_job_template',
  'request_body',
  'input',
  'ctx',
]);

/** Always the server's clock, with any digits. */
export const CLOCK_TIMES: ReadonlySet<string> = new Set(['created', 'updated', 'received', 'last_polled']);

/** Headers that a client uses. */
export const HEADERS: readonly string[] = [
  'content-type',
  'allow',
  'location',
  'retry-after',
  'content-disposition',
  'www-authenticate',
];
