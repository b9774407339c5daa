/** Reasons to refuse a body, with the messages that the Prefect server 3.9.1 gave for each of these requests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventBodies } from '../../src/events/schema.ts';
import { ArtifactCreate, artifactBodies } from '../../src/orchestration/artifacts/schema.ts';
import { DeploymentCreate, deploymentBodies } from '../../src/orchestration/deployments/schema.ts';
import { FlowCreate, FlowUpdate, flowBodies } from '../../src/orchestration/flows/schema.ts';
import { logBodies } from '../../src/orchestration/logs/schema.ts';
import { FlowRunCreate, flowRunBodies } from '../../src/orchestration/runs/flow-runs/schema.ts';
import { TaskRunCreate } from '../../src/orchestration/runs/task-runs/schema.ts';
import { SavedSearchCreate } from '../../src/orchestration/saved-searches/schema.ts';
import { VariableCreate, VariableUpdate } from '../../src/orchestration/variables/schema.ts';
import { compileDecoder } from '../../src/schema/decode.ts';
import type { TSchema } from '../../src/schema/kinds.ts';

const id = '135b7cba-e5d0-4879-9ea6-9572b93b3415';
const event = { occurred: '2026-11-20T00:00:00Z', event: 'a', resource: { 'prefect.resource.id': 'x' }, id };
const related = { 'prefect.resource.id': 'y', 'prefect.resource.role': 'r' };
const deployment = { name: 'd', flow_id: id };
const taskRun = { task_key: 'k', dynamic_key: 'd' };

/** `labels(500)` and the resource's id are one label too many. */
function labels(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, 'v']));
}

function intervals(schedule: object): object {
  return { ...deployment, schedules: [{ schedule: { interval: 60 }, ...schedule }] };
}

/** The first issue as `place: type: text`; an empty list when the body is accepted. */
function issuesOf(schema: TSchema, body: unknown): string[] {
  const decoded = compileDecoder(schema, 'body')(body);
  return decoded.ok ? [] : decoded.issues.map(({ type, loc, msg }) => `${loc.join('.')}: ${type}: ${msg}`);
}

const refused: readonly (readonly [TSchema, unknown, string])[] = [
  [FlowCreate, { name: 'a/b' }, "body.name: string_pattern_mismatch: String should match pattern '^[^/%&><]+$'"],
  [FlowCreate, { name: '' }, "body.name: string_pattern_mismatch: String should match pattern '^[^/%&><]+$'"],
  [FlowCreate, { name: 'a', zzz: 1 }, 'body.zzz: extra_forbidden: Extra inputs are not permitted'],
  [FlowUpdate, { name: 'a' }, 'body.name: extra_forbidden: Extra inputs are not permitted'],
  [FlowUpdate, { tags: null }, 'body.tags: list_type: Input should be a valid list'],
  [flowBodies.filter, { flows: { operator: 'x' } }, "body.flows.operator: enum: Input should be 'and_' or 'or_'"],
  [flowBodies.filter, { offset: -1 }, 'body.offset: greater_than_equal: Input should be greater than or equal to 0'],
  [flowBodies.paginate, { page: 0 }, 'body.page: greater_than_equal: Input should be greater than or equal to 1'],
  [flowBodies.bulk_delete, { limit: 51 }, 'body.limit: less_than_equal: Input should be less than or equal to 50'],
  [FlowRunCreate, { flow_id: id, parameters: null }, 'body.parameters: dict_type: Input should be a valid dictionary'],
  [FlowRunCreate, { flow_id: id, state: {} }, 'body.state.type: missing: Field required'],
  [
    FlowRunCreate,
    { flow_id: id, state: { type: 'RUNNING', id } },
    'body.state.id: extra_forbidden: Extra inputs are not permitted',
  ],
  [
    FlowRunCreate,
    { flow_id: id, empirical_policy: { retry_type: 'x' } },
    "body.empirical_policy.retry_type: literal_error: Input should be 'in_process' or 'reschedule'",
  ],
  [flowRunBodies.set_state, { state: null }, 'body.state: missing: Field required'],
  [flowRunBodies.resume, { run_input: 5 }, 'body.run_input: dict_type: Input should be a valid dictionary'],
  [flowRunBodies.labels, [], 'body: dict_type: Input should be a valid dictionary'],
  [
    TaskRunCreate,
    { ...taskRun, cache_key: 'x'.repeat(2001) },
    'body.cache_key: value_error: Value error, Cache key exceeded maximum allowed length of 2000 characters.',
  ],
  [
    TaskRunCreate,
    { ...taskRun, empirical_policy: { retry_delay: Array(51).fill(1) } },
    'body.empirical_policy.retry_delay: value_error: Value error, Can not configure more than 50 retry delays per task.',
  ],
  [
    TaskRunCreate,
    { ...taskRun, empirical_policy: { retry_jitter_factor: -0.1 } },
    'body.empirical_policy.retry_jitter_factor: value_error: Value error, `retry_jitter_factor` must be >= 0.',
  ],
  [
    TaskRunCreate,
    { ...taskRun, task_inputs: { a: {} } },
    'body.task_inputs.a: list_type: Input should be a valid list',
  ],
  [
    ArtifactCreate,
    { key: 'a_b' },
    'body.key: value_error: Value error, Artifact key must only contain lowercase letters, numbers, and dashes.',
  ],
  [ArtifactCreate, { metadata_: { a: 1 } }, 'body.metadata_.a: string_type: Input should be a valid string'],
  [VariableCreate, { name: 'a' }, 'body.value: missing: Field required'],
  [
    VariableCreate,
    { name: 'A', value: 1 },
    'body.name: value_error: Value error, Variable name must only contain lowercase letters, numbers, and dashes or underscores.',
  ],
  [
    VariableCreate,
    { name: 'a', value: 'x'.repeat(4999) },
    'body.value: value_error: Value error, Variable value must be less than 5000 characters',
  ],
  [VariableUpdate, { id }, 'body.id: extra_forbidden: Extra inputs are not permitted'],
  [logBodies.create, [{ name: 'a', level: 1, message: 'm' }], 'body.0.timestamp: missing: Field required'],
  [
    logBodies.filter,
    { logs: { text: { query: 'x'.repeat(201) } } },
    'body.logs.text.query: string_too_long: String should have at most 200 characters',
  ],
  [SavedSearchCreate, { name: 'a', filters: null }, 'body.filters: list_type: Input should be a valid list'],
  [
    DeploymentCreate,
    { ...deployment, concurrency_limit: 0 },
    'body.concurrency_limit: greater_than: Input should be greater than 0',
  ],
  [
    DeploymentCreate,
    { ...deployment, concurrency_limit: 1, global_concurrency_limit_id: id },
    'body: value_error: Value error, A deployment cannot have both a concurrency limit and a global concurrency limit.',
  ],
  [
    DeploymentCreate,
    { ...deployment, concurrency_options: { collision_strategy: 'ENQUEUE', grace_period_seconds: 59 } },
    'body.concurrency_options.grace_period_seconds: greater_than_equal: Input should be greater than or equal to 60',
  ],
  [
    DeploymentCreate,
    intervals({ max_scheduled_runs: 51 }),
    'body.schedules.0.max_scheduled_runs: value_error: Value error, `max_scheduled_runs` must be less than or equal to 50.',
  ],
  [
    DeploymentCreate,
    intervals({ max_scheduled_runs: 0 }),
    'body.schedules.0.max_scheduled_runs: greater_than: Input should be greater than 0',
  ],
  [
    DeploymentCreate,
    intervals({ schedule: { interval: 0 } }),
    'body.schedules.0.schedule.function-after[validate_timezone(), IntervalSchedule].interval: value_error: Value error, interval must be positive',
  ],
  [deploymentBodies.schedules, [{}], 'body.0.schedule: missing: Field required'],
  [eventBodies.create, [{}], 'body.0.occurred: missing: Field required'],
  [
    eventBodies.create,
    [{ ...event, event: 'x'.repeat(1025) }],
    'body.0.event: value_error: Value error, Event name must be at most 1024 characters',
  ],
  [
    eventBodies.create,
    [{ ...event, resource: { a: 'b' } }],
    'body.0.resource: value_error: Value error, Resources must include the prefect.resource.id label',
  ],
  [
    eventBodies.create,
    [{ ...event, resource: { 'prefect.resource.id': '' } }],
    'body.0.resource: value_error: Value error, The prefect.resource.id label must be non-empty',
  ],
  [
    eventBodies.create,
    [{ ...event, resource: { 'prefect.resource.id': 'x', ...labels(500) } }],
    'body.0.resource: value_error: Value error, The maximum number of labels per resource is 500',
  ],
  [
    eventBodies.create,
    [{ ...event, related: [{ 'prefect.resource.id': 'y' }] }],
    'body.0.related.0: value_error: Value error, Related Resources must include the prefect.resource.role label',
  ],
  [
    eventBodies.create,
    [{ ...event, related: [{ 'prefect.resource.id': 'y', 'prefect.resource.role': '' }] }],
    'body.0.related.0: value_error: Value error, The prefect.resource.role label must be non-empty',
  ],
  [
    eventBodies.create,
    [{ ...event, related: Array(101).fill(related) }],
    'body.0.related: value_error: Value error, The maximum number of related resources is 100',
  ],
  [eventBodies.filter, { limit: 51 }, 'body.limit: less_than_equal: Input should be less than or equal to 50'],
  [eventBodies.count_by, {}, 'body.filter: missing: Field required'],
  [
    eventBodies.filter,
    { filter: { resource: { labels: { a: ['x', 1] } } } },
    'body.filter.resource.labels.a.str: string_type: Input should be a valid string',
  ],
];

const taken: readonly (readonly [string, TSchema, unknown])[] = [
  ['an unknown part of a filter body', flowBodies.filter, { zzz: 1, flows: null, limit: null, sort: null }],
  ['no body for a filter', flowBodies.filter, null],
  ['null for the name of a run', FlowRunCreate, { flow_id: id, name: null }],
  ['unknown details of a state', flowRunBodies.set_state, { state: { type: 'PENDING', state_details: { zzz: 1 } } }],
  ['unknown keys of a policy', FlowRunCreate, { flow_id: id, empirical_policy: { zzz: 1 } }],
  ['any values of labels that are merged', flowRunBodies.labels, { a: null, b: {} }],
  [
    'a cache key of 2000 characters beyond the basic plane',
    TaskRunCreate,
    { ...taskRun, cache_key: '😀'.repeat(2000) },
  ],
  ['fifty retry delays', TaskRunCreate, { ...taskRun, empirical_policy: { retry_delay: Array(50).fill(1.5) } }],
  ['an input without its type', TaskRunCreate, { ...taskRun, task_inputs: { a: [{ id }, { name: 'x' }] } }],
  ['an empty artifact key', ArtifactCreate, { key: '' }],
  ['an artifact without anything', ArtifactCreate, {}],
  ['an artifact filter with any key', artifactBodies.filter, { artifacts: { key: { any_: ['A b'] } } }],
  ['a variable that is null', VariableCreate, { name: 'a-b_0', value: null }],
  ['a variable of 5000 bytes', VariableCreate, { name: 'a', value: 'x'.repeat(4998) }],
  ['an empty deployment name', DeploymentCreate, { ...deployment, name: '' }],
  ['unknown keys of a version', DeploymentCreate, { ...deployment, version_info: { type: 'a', version: 'b', c: 1 } }],
  ['an interval as ISO 8601 text', DeploymentCreate, intervals({ schedule: { interval: 'PT1H' } })],
  ['an event with more fields than it has', eventBodies.create, [{ ...event, zzz: 1, received: null }]],
  ['500 labels', eventBodies.create, [{ ...event, resource: { 'prefect.resource.id': 'x', ...labels(499) } }]],
  ['a hundred related resources', eventBodies.create, [{ ...event, related: Array(100).fill(related) }]],
  ['one filter or several', eventBodies.filter, { filter: { related: { id: ['x'] }, any_resource: [{ id: ['x'] }] } }],
];

/** Bodies that the reference answers with 500, or stores and cannot find again. */
const refusedHereOnly: readonly (readonly [TSchema, unknown, string])[] = [
  [
    FlowRunCreate,
    { flow_id: id, state: { type: 'PENDING', name: 'x'.repeat(1008) } },
    'body.state.name: value_error: Value error, State name must be at most 1007 characters',
  ],
  [
    flowRunBodies.input,
    { key: 'A b', value: 'x' },
    'body.key: value_error: Value error, Input key must only contain lowercase letters, numbers, and dashes.',
  ],
  [
    DeploymentCreate,
    { ...deployment, name: 'a/b' },
    'body.name: value_error: Value error, Deployment name must not contain any of / % & > <',
  ],
  [
    ArtifactCreate,
    { key: 'ab\n' },
    'body.key: value_error: Value error, Artifact key must only contain lowercase letters, numbers, and dashes.',
  ],
];

describe('a body is refused', () => {
  for (const [schema, body, issue] of [...refused, ...refusedHereOnly]) {
    test(issue, () => assert.equal(issuesOf(schema, body)[0], issue));
  }
});

describe('a body is accepted', () => {
  for (const [what, schema, body] of taken) test(`with ${what}`, () => assert.deepEqual(issuesOf(schema, body), []));
});
