import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from './expected/finding.ts';
import { differencesBySubject, explain, summaryOf } from './expected-differences.ts';

const answer = (status: number) => ({ status, headers: {}, text: '' });

function finding(route: string, reference: number, ours: number, path = '/flows/'): Finding {
  const request = { method: route.split(' ')[0] as string, path, headers: {} };
  const answers = { reference: answer(reference), ours: answer(ours) };
  return {
    kind: 'status',
    path: '',
    reference: String(reference),
    ours: String(ours),
    repeated: false,
    route,
    request,
    requestToUs: request,
    answers,
  };
}

test('a refusal where the reference fails is intended, a failure of ours never is', () => {
  assert.match(String(explain(finding('POST /flows/', 500, 422))?.told.request), /Bad input/);
  assert.equal(explain(finding('POST /flows/', 500, 500)), undefined);
  assert.equal(explain(finding('POST /flows/', 422, 500)), undefined);
});

test('a list in place of "method not allowed" is intended for collections only', () => {
  assert.match(String(explain(finding('GET /flows/', 405, 200))?.told.request), /collection/);
  assert.equal(explain(finding('GET /flows/filter', 405, 200, '/flows/filter')), undefined);
});

test('more rows are intended where a pattern has letters beyond ASCII only', () => {
  const rows = (like: string, reference: number, ours: number): Finding => {
    const made = finding('POST /flows/filter', 200, 200);
    const request = { ...made.request, body: JSON.stringify({ flows: { name: { like_: like } } }) };
    return { ...made, kind: 'length', reference: `${reference} rows: `, ours: `${ours} rows: `, request };
  };
  assert.match(String(explain(rows('FLØW', 0, 1))?.told.request), /beyond ASCII/);
  assert.equal(explain(rows('FLOW', 0, 1)), undefined);
  assert.equal(explain(rows('FLØW', 1, 0)), undefined);
});

test('a bare number that kept its type is intended, another number is not', () => {
  const number = (reference: string, ours: string): Finding => ({
    ...finding('GET /variables/{id}', 200, 200),
    kind: 'number kind',
    path: 'value',
    reference,
    ours,
  });
  assert.match(String(explain(number('1', '1.0'))?.told.request), /bare number/);
  assert.equal(explain(number('1', '2.0')), undefined);
});

const answered = (route: string, kind: Finding['kind'], path: string, reference: unknown, ours: unknown): Finding => ({
  ...finding(route, 200, 200),
  kind,
  path,
  answers: {
    reference: { ...answer(200), text: JSON.stringify(reference) },
    ours: { ...answer(200), text: JSON.stringify(ours) },
  },
});

test('related resources that the reference repeats from an earlier event are intended, others are not', () => {
  const event = (...tags: string[]) => ({
    resource: { 'prefect.resource.id': 'prefect.flow-run.1' },
    related: tags.map((tag) => ({ 'prefect.resource.id': `prefect.tag.${tag}`, 'prefect.resource.role': 'tag' })),
  });
  const told = (reference: object[], ours: object[]) =>
    explain(answered('POST /events/filter', 'length', 'events[].related', { events: reference }, { events: ours }));
  assert.match(
    String(told([event('old'), event('old')], [event('old'), event('new')])?.told.request),
    /related objects/,
  );
  assert.equal(told([event('old'), event('new')], [event('old'), event('old')]), undefined);
});

test('an additional state is intended when the reference has another one at its instant', () => {
  const states = (...times: string[]) => times.map((timestamp) => ({ timestamp }));
  const told = (reference: object[], ours: object[]) =>
    explain(answered('GET /task_run_states/', 'length', '', reference, ours));
  assert.match(String(told(states('t1'), states('t1', 't1'))?.told.request), /same timestamp/);
  assert.equal(told(states('t1'), states('t1', 't2')), undefined);
  assert.equal(told(states('t1', 't1'), states('t1')), undefined);
});

test('task runs may be counted in another interval, and none may be missing', () => {
  const counts = (...failed: number[]) => failed.map((count) => ({ completed: 1, failed: count }));
  const told = (reference: object[], ours: object[]) =>
    explain(answered('POST /ui/task_runs/dashboard/counts', 'value', '[].failed', reference, ours));
  assert.match(String(told(counts(1, 0), counts(0, 1))?.told.request), /border/);
  assert.equal(told(counts(1, 0), counts(0, 0)), undefined);
});

test('wrong labels of a trigger whose time the reference fills in are intended, other errors beside them are not', () => {
  const fault = (type: string, ...loc: string[]) => `"${type}" at ${JSON.stringify(['body', 'trigger', ...loc])}: "m"`;
  const told = (...ours: string[]): Finding => ({
    ...answered('POST /automations/', 'validation', 'exception_detail', { within: 0 }, {}),
    reference: fault('string_type', 'EventTrigger', 'match', 'env'),
    ours: ours.join('; '),
    answers: { reference: { ...answer(422), text: '{"within":10.0}' }, ours: answer(422) },
  });
  const labels = fault('string_type', 'EventTrigger', 'match', 'ResourceSpecification', 'env');
  const within = fault('missing', 'SequenceTrigger', 'within');
  assert.notEqual(explain(told(labels, within)), undefined);
  assert.equal(explain(told(labels, within, fault('missing', 'SequenceTrigger', 'triggers'))), undefined);
  assert.equal(explain(told(within)), undefined);
});

test('slots of an inactive limit may stay counted on the reference, those of an active one may not', () => {
  const limit = (active: boolean, active_slots: number) => [{ name: 'a', active, active_slots }];
  const told = (reference: object[], ours: object[]) =>
    explain(answered('POST /v2/concurrency_limits/filter', 'value', '[].active_slots', reference, ours));
  assert.equal(told(limit(true, 5), limit(true, 4)), undefined);
  assert.equal(told(limit(false, 4), limit(false, 5)), undefined);
  const off = answered(
    'POST /v2/concurrency_limits/filter',
    'value',
    '.active_slots',
    limit(false, 5),
    limit(false, 4),
  );
  assert.match(String(explain(off)?.told.request), /inactive/);
});

test('a queue with an old poll may be ready on the reference, one with a recent poll or none must agree', () => {
  const told = (polled: string | null) => {
    const queue = (status: string) => ({ status, last_polled: polled });
    const one = answered('GET /work_queues/{id}', 'text', 'status', queue('READY'), queue('NOT_READY'));
    const ours = { ...one.answers.ours, headers: { date: 'Sun, 22 Nov 2026 05:25:56 GMT' } };
    return explain({ ...one, reference: 'READY', ours: 'NOT_READY', answers: { ...one.answers, ours } });
  };
  assert.match(String(told('2026-11-22T05:24:56.426585Z')?.told.request), /last poll/);
  assert.equal(told('2026-11-22T05:25:01.000000Z'), undefined);
  assert.equal(told(null), undefined);
});

test('a refused request may be repeated as it was sent, and not otherwise', () => {
  const told = (repeated: unknown, mark = '') =>
    explain({
      ...answered('POST /automations/', 'number kind', 'request_body.within', {}, { request_body: repeated }),
      requestToUs: { method: 'POST', path: '/automations/', headers: {}, body: `${mark}{"within":10}` },
    });
  assert.match(String(told({ within: 10 })?.told.request), /the checks of the reference/);
  assert.match(String(told({ within: 10 }, '\uFEFF')?.told.request), /the checks of the reference/);
  assert.equal(told({ within: 11 }), undefined);
});

test('a fractional retry delay may be refused with another message, and other errors must agree', () => {
  const told = (reference: string, ours: string) =>
    explain({ ...answered('POST /flow_runs/', 'validation', 'exception_detail', {}, {}), reference, ours });
  const there = '"int_from_float" at ["body","empirical_policy","retry_delay"]: "Input should be a valid integer"';
  const here = '"value_error" at ["body","empirical_policy"]: "Value error, it must be a whole number of seconds"';
  const other = '"missing" at ["body","flow_id"]: "Field required"';
  assert.match(String(told(`${there}; ${other}`, `${here}; ${other}`)?.told.request), /retry_delay_seconds/);
  assert.equal(told(`${there}; ${other}`, here), undefined);
});

test('a schema with an invalid `required` may be refused at once, and other schemas may not', () => {
  const refused = (fault: string): Finding => {
    const found = finding('PATCH /deployments/{id}', 204, 422);
    const text = JSON.stringify({ detail: `The provided schema is not a valid json schema. Schema error: ${fault}` });
    return { ...found, answers: { ...found.answers, ours: { ...answer(422), text } } };
  };
  for (const fault of [
    "5 is not of type 'string'",
    "'no' is not of type 'array'",
    "['x', 'x'] has non-unique elements",
  ])
    assert.match(String(explain(refused(fault))?.told.request), /`required`/);
  assert.equal(explain(refused("'text' is not valid under any of the given schemas")), undefined);
});

test('the only run shown for a queue may be another one, and a whole list must be complete', () => {
  const told = (body: object): Finding => {
    const found = answered('POST /work_pools/{name}/concurrency_status', 'rows', 'queues[].flow_runs', {}, {});
    return { ...found, request: { ...found.request, body: JSON.stringify(body) } };
  };
  assert.match(String(explain(told({ limit: 1, flow_run_limit: 1 }))?.told.request), /flow_run_limit/);
  assert.equal(explain(told({ flow_run_limit: 200 })), undefined);
});

test('a poll soon after another may be recorded on the reference only, a later one may not', () => {
  const noted = (reference: string): Finding => ({
    ...finding('POST /work_queues/filter', 200, 200),
    kind: 'updated',
    path: '[]',
    reference: `updated 2026-01-02T03:04:${reference}Z`,
    ours: 'updated 2026-01-02T03:04:05.5Z: moved on one server only',
  });
  assert.match(String(explain(noted('10.25'))?.told.request), /within five seconds/);
  for (const other of ['04.5', '12.25']) assert.equal(explain(noted(other)), undefined);
});

test('a run that the reference fails to create because of an invalid schema may be created, and no other that it refuses', () => {
  const told = (path: string, reference: string, error: string): Finding => ({
    ...answered('POST /deployments/{id}/create_flow_run/bulk', 'text', path, { results: [{ error }] }, {}),
    reference,
  });
  const broken = "5 is not of type 'string'\n\nFailed validating 'type' in metaschema['allOf']";
  assert.match(String(explain(told('results[].status', 'FAILED', broken))?.told.request), /not valid JSON Schema/);
  assert.equal(explain(told('results[].status', 'CREATED', broken)), undefined);
  assert.equal(explain(told('results[].error', "'x' is missing", broken)), undefined);
  assert.equal(explain(told('results[].status', 'FAILED', 'another reason')), undefined);
});

test('either of two runs that are due at once may be the next one of a flow, another one may not', () => {
  const next = (name: string, hour: number) => ({ name, next_scheduled_start_time: `2026-11-24T${hour}:00:00Z` });
  const told = (hour: number) =>
    answered(
      'POST /ui/flows/next-runs',
      'name',
      'flow-there',
      { other: null, 'flow-there': next('one', 11) },
      { else: null, 'flow-here': next('two', hour) },
    );
  assert.match(String(explain(told(11))?.told.request), /due at the same time/);
  assert.equal(explain(told(12)), undefined);
});

test('the facts of a difference are sentences, and its summary has all of them in a line', () => {
  for (const entry of Object.values(differencesBySubject).flat()) {
    const { routes, request, reference, ours, why = 'None.' } = entry.told;
    for (const text of [request, reference, ours, why])
      assert.match(text, /^(?!Of |What |Where |The same )[A-Z`].*\.$/);
    const summary = summaryOf(entry);
    for (const part of [...routes, request, reference, ours]) assert.ok(summary.includes(part), summary);
  }
});
