/** What one message, event or request evaluates is bounded in sum, whatever it evaluates. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { SchemaFault } from '../../json-schema/schema-error.ts';
import { schemaErrors } from '../../json-schema/validate.ts';
import { scheduleDates } from '../../schedules/schedule-dates.ts';
import { ScheduleTooCostly, WorkBudget } from '../../schedules/work-budget.ts';
import { TemplateRuntimeError } from '../../templates/syntax/template-error.ts';
import { Template } from '../../templates/template.ts';
import type { JsonText } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { asOneRequest, EVALUATION_WORK, evaluationWork } from './request-work.ts';

const dates = (schedule: object) => () => {
  const stored = JSON.stringify({ timezone: 'UTC', ...schedule }) as JsonText;
  const [start, end] = ['2026-01-01T00:00:00.000000Z', '2036-01-01T00:00:00.000000Z'] as [Timestamp, Timestamp];
  return [...scheduleDates(stored, start, end, new WorkBudget(50_000))].length;
};
const list = Array.from({ length: 3000 }, (_, index) => index);

/** One evaluation of each kind, and how it ends when its request has spent what it may. */
const kinds: Readonly<
  Record<string, { readonly evaluate: () => unknown; readonly refused: new (...given: never[]) => Error }>
> = {
  'a template': {
    evaluate: () =>
      new Template('{% for i in range(100) %}{% for j in range(100) %}{{ i * j }}{% endfor %}{% endfor %}').render(),
    refused: TemplateRuntimeError,
  },
  'a schema': {
    evaluate: () => schemaErrors(list, { items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }),
    refused: SchemaFault,
  },
  'a cron schedule': { evaluate: dates({ cron: '* * * * *', day_or: true }), refused: ScheduleTooCostly },
  'an RRULE': {
    evaluate: dates({ rrule: 'DTSTART:20260101T000000\nRRULE:FREQ=MINUTELY' }),
    refused: ScheduleTooCostly,
  },
  'an interval': { evaluate: dates({ interval: 60, anchor_date: null }), refused: ScheduleTooCostly },
};

describe('the work of a request', () => {
  for (const [kind, { evaluate, refused }] of Object.entries(kinds)) {
    test(`${kind} draws from it, and is refused when it is spent`, () => {
      asOneRequest(() => {
        evaluate();
        const spent = EVALUATION_WORK - evaluationWork().left;
        assert.ok(spent > 0, 'it draws nothing');
        evaluationWork().count(EVALUATION_WORK);
        assert.throws(evaluate, refused);
      });
      asOneRequest(evaluate);
    });
  }

  test('many small evaluations cost no more than the allowance, of whatever kind', () => {
    asOneRequest(() => {
      let times = 0;
      const all = Object.values(kinds);
      assert.throws(() => {
        for (; times < 1000; times++) all[times % all.length]!.evaluate();
      });
      assert.equal(evaluationWork().left, 0);
    });
  });
});

for (const database of databases) {
  describe(`the work of a request on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('a write draws from the request that asked for it, also where writes share a commit', async () => {
      const { store, defaultWorkspace } = server.server;
      const spend = (units: number) =>
        asOneRequest(() =>
          store.transaction(defaultWorkspace, async () => {
            evaluationWork().count(units);
            return evaluationWork().left;
          }),
        );
      const left = await Promise.all([spend(EVALUATION_WORK), spend(1), spend(2)]);
      assert.deepEqual(left, [0, EVALUATION_WORK - 1, EVALUATION_WORK - 2]);
    });

    test('a pool whose template has thousands of costly defaults is answered, and not with a server error', async () => {
      const pattern = '^(?:a?){100}a{100}$';
      const properties = Object.fromEntries(
        Array.from({ length: 1500 }, (_, index) => [
          `p${index}`,
          { type: 'string', pattern, default: 'a'.repeat(200) },
        ]),
      );
      const base_job_template = { job_configuration: {}, variables: { type: 'object', properties } };
      const pool = await server.post('/work_pools/', { name: 'costly', type: 'process', base_job_template });
      assert.ok(pool.status < 500, pool.text);
      const flow = await server.post('/flows/', { name: 'costly' });
      const made = await server.post('/deployments/', {
        name: 'costly',
        flow_id: flow.body.id,
        work_pool_name: 'costly',
        job_variables: { p1: 'x' },
      });
      assert.ok(made.status < 500, made.text);
    });
  });
}
