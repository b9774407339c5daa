import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const daily = { cron: '0 0 * * *' };

interface Schedule {
  readonly id: string;
  readonly slug: string | null;
  readonly active: boolean;
  readonly schedule: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
  readonly updated: string;
}

for (const database of databases) {
  describe(`schedules of deployments on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    let number = 0;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'scheduled' })).body.id;
    });
    after(() => server.stop());

    /** Creates a deployment with these schedules; returns its id. */
    async function deploy(schedules: object[]): Promise<string> {
      const answer = await server.post('/deployments/', { flow_id: flowId, name: `d${number++}`, schedules });
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    }

    const schedulesOf = async (id: string): Promise<Schedule[]> =>
      (await server.get(`/deployments/${id}`)).body.schedules;
    const slugsOf = async (id: string) => (await schedulesOf(id)).map(({ slug }) => slug).sort();
    const patch = (id: string, schedules: object[]) => server.patch(`/deployments/${id}`, { schedules });

    /** The schedule as answered, or the reasons for its refusal. */
    async function taken(schedule: object): Promise<unknown> {
      const answer = await server.post('/deployments/', {
        flow_id: flowId,
        name: `d${number++}`,
        schedules: [{ schedule }],
      });
      if (answer.status === 201) return answer.body.schedules[0].schedule;
      assert.equal(answer.status, 422, answer.text);
      return answer.body.exception_detail.map((issue: { msg: string }) => issue.msg);
    }

    test('an interval keeps the offset of its anchor, and begins now without an anchor', async () => {
      const anchor_date = '2024-06-01T09:30:00-04:00';
      assert.deepEqual(await taken({ interval: 60, anchor_date }), { interval: 60, anchor_date, timezone: 'UTC' });
      const answer = (await taken({ interval: 'PT1H', timezone: 'Europe/Berlin' })) as Record<string, string>;
      assert.match(answer['anchor_date'] ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
      assert.deepEqual([answer['interval'], answer['timezone']], [3600, 'Europe/Berlin']);
    });

    test('cron and recurrence rules are normalized when they are stored', async () => {
      assert.deepEqual(await taken(daily), { cron: '0 0 * * *', timezone: null, day_or: true });
      assert.deepEqual(await taken({ rrule: 'FREQ=DAILY' }), {
        rrule: 'DTSTART:20200101T000000\nFREQ=DAILY',
        timezone: 'UTC',
      });
      const often = (await taken({ rrule: 'FREQ=MINUTELY;INTERVAL=1440', timezone: 'Asia/Amman' })) as {
        rrule: string;
      };
      assert.match(often.rrule, /^DTSTART:\d{8}T000000\nFREQ/);
      assert.ok(!often.rrule.startsWith('DTSTART:2020'));
    });

    test('an invalid schedule is refused with a reason', async () => {
      const zone = 'Invalid timezone: "Mars" (specify in IANA tzdata format, for example, America/New_York)';
      const refused: [object, string][] = [
        [{ cron: 'not a cron' }, 'Invalid cron string: "not a cron"'],
        [{ cron: 'R * * * *' }, 'Random and Hashed expressions are unsupported, received: "R * * * *"'],
        [{ cron: '* * * * *', timezone: 'Mars' }, zone],
        [{ interval: 60, timezone: 'Mars' }, zone],
        [{ rrule: 'FREQ=DAILY', timezone: 'Mars' }, zone],
        [{ interval: 0 }, 'interval must be positive'],
        [{ rrule: 'FREQ=NOPE' }, 'Invalid RRule string "FREQ=NOPE": invalid \'FREQ\': NOPE'],
      ];
      for (const [schedule, reason] of refused) {
        const reasons = (await taken(schedule)) as string[];
        assert.ok(reasons.includes(`Value error, ${reason}`), `${JSON.stringify(schedule)}: ${reasons}`);
      }
      for (const timezone of ['utc', '+02:00', 'america/new_york', '../UTC']) {
        assert.ok(Array.isArray(await taken({ ...daily, timezone })), timezone);
      }
    });

    test('added schedules are listed newest first', async () => {
      const id = await deploy([{ schedule: daily, slug: 'a' }]);
      const added = await server.post(`/deployments/${id}/schedules`, [
        { schedule: daily, slug: 'b', parameters: { x: 1 }, max_scheduled_runs: 4 },
        { schedule: { interval: 60 }, active: false },
      ]);
      assert.equal(added.status, 201);
      assert.deepEqual(
        added.body.map((schedule: Schedule) => schedule.slug),
        ['b', null],
      );
      const listed = await server.get(`/deployments/${id}/schedules`);
      assert.deepEqual(
        listed.body.map((schedule: Schedule) => schedule.slug),
        [null, 'b', 'a'],
      );
      assert.deepEqual(await schedulesOf(id), listed.body);
    });

    test('an update of a schedule changes the given fields', async () => {
      const id = await deploy([{ schedule: daily, slug: 'a', parameters: { x: 1 } }]);
      const [before] = await schedulesOf(id);
      const url = `/deployments/${id}/schedules/${before?.id}`;
      assert.equal((await server.patch(url, { active: false, slug: null, schedule: null })).status, 204);
      const [after] = await schedulesOf(id);
      assert.deepEqual({ ...after, updated: '' }, { ...before, active: false, updated: '' });
      assert.equal((await server.patch(url, { schedule: { interval: 5 }, parameters: {} })).status, 204);
      const [changed] = await schedulesOf(id);
      assert.deepEqual([changed?.schedule['interval'], changed?.parameters], [5, {}]);
      assert.equal((await server.delete(url)).status, 204);
      assert.deepEqual(await schedulesOf(id), []);
    });

    test('a repeated create of a deployment replaces its schedules', async () => {
      const body = { flow_id: flowId, name: `d${number++}`, schedules: [{ schedule: daily, slug: 'a' }] };
      const first = await server.post('/deployments/', body);
      const second = await server.post('/deployments/', body);
      assert.equal(second.body.schedules.length, 1);
      assert.notEqual(second.body.schedules[0].id, first.body.schedules[0].id);
      const twice = await server.post('/deployments/', { ...body, schedules: [...body.schedules, ...body.schedules] });
      assert.equal(twice.status, 409);
    });

    test('schedules with slugs are changed and added by slug, and the others stay', async () => {
      const id = await deploy([
        { schedule: daily, slug: 'a', parameters: { x: 1 } },
        { schedule: daily, slug: 'b' },
      ]);
      const kept = (await schedulesOf(id)).find(({ slug }) => slug === 'a');
      assert.equal(
        (
          await patch(id, [
            { slug: 'a', active: false },
            { slug: 'c', schedule: daily },
          ])
        ).status,
        204,
      );
      const changed = (await schedulesOf(id)).find(({ slug }) => slug === 'a');
      assert.deepEqual([changed?.id, changed?.active, changed?.parameters], [kept?.id, false, { x: 1 }]);
      assert.deepEqual(await slugsOf(id), ['a', 'b', 'c']);
    });

    test('an explicit empty list removes all schedules, those with slugs and paused ones too', async () => {
      const id = await deploy([
        { schedule: daily, slug: 'a' },
        { schedule: daily, slug: 'b', active: false },
      ]);
      assert.equal((await server.patch(`/deployments/${id}`, { schedules: [] })).status, 204);
      assert.deepEqual(await schedulesOf(id), []);
    });

    test('a schedule that was paused by itself stays paused when its deployment is deployed again', async () => {
      const other = { cron: '0 1 * * *' };
      const given = {
        slugs: [
          { schedule: daily, slug: 'a' },
          { schedule: other, slug: 'b' },
        ],
        series: [{ schedule: { cron: '0 2 * * *', timezone: 'Europe/Berlin' } }, { schedule: other }],
      };
      for (const [kind, schedules] of Object.entries(given)) {
        const body = { flow_id: flowId, name: `paused by ${kind}`, schedules };
        const { id } = (await server.post('/deployments/', body)).body;
        const [first] = (await schedulesOf(id)).toReversed();
        const active = async () => {
          const found = await schedulesOf(id);
          const { cron } = schedules[0]!.schedule;
          const isFirst = (one: Schedule) => one.schedule['cron'] === cron;
          return [found.find(isFirst)?.active, found.find((one) => !isFirst(one))?.active];
        };
        const set = (one: Schedule | undefined, given: object) =>
          server.patch(`/deployments/${id}/schedules/${one?.id}`, given);
        assert.equal((await set(first, { active: false })).status, 204);
        const explicit = schedules.map((schedule) => ({ ...schedule, active: true }));
        await server.post('/deployments/', { ...body, schedules: explicit });
        assert.deepEqual(await active(), [false, true], `${kind}: deployed again`);
        assert.equal((await server.patch(`/deployments/${id}`, { schedules: explicit })).status, 204);
        assert.deepEqual(await active(), [false, true], `${kind}: changed`);
        const [again] = (await schedulesOf(id)).filter((one) => one.active === false);
        assert.equal((await set(again, { active: true })).status, 204);
        await server.post('/deployments/', { ...body, schedules: explicit });
        assert.deepEqual(await active(), [true, true], `${kind}: after it was resumed`);
      }
    });

    test('a slug replaces another, and two schedules may swap slugs', async () => {
      const id = await deploy([
        { schedule: { interval: 1 }, slug: 'a' },
        { schedule: { interval: 2 }, slug: 'b' },
      ]);
      const intervals = async () =>
        Object.fromEntries((await schedulesOf(id)).map(({ slug, schedule }) => [slug, schedule['interval']]));
      await patch(id, [
        { slug: 'b', replaces: 'a' },
        { slug: 'a', replaces: 'b' },
      ]);
      assert.deepEqual(await intervals(), { a: 2, b: 1 });
      await patch(id, [{ slug: 'c', replaces: 'a', schedule: { interval: 3 } }]);
      assert.deepEqual(await intervals(), { b: 1, c: 3 });
      await patch(id, [{ slug: 'd', replaces: 'nothing', schedule: { interval: 4 } }]);
      assert.deepEqual(await intervals(), { b: 1, c: 3, d: 4 });
    });

    test('missing, duplicate and unknown slugs are refused', async () => {
      const id = await deploy([
        { schedule: daily, slug: 'a' },
        { schedule: daily, slug: 'b' },
      ]);
      const refused: [object[], string][] = [
        [
          [{ schedule: daily }],
          'Please provide a slug for each schedule in your request to ensure schedules are updated correctly.',
        ],
        [[{ slug: 'c' }], 'Unable to create new deployment schedules without a schedule configuration.'],
        [
          [{ slug: 'b', replaces: 'a' }],
          "Cannot rename schedule from 'a' to 'b': a schedule with slug 'b' already exists.",
        ],
        [
          [
            { slug: 'c', replaces: 'a' },
            { slug: 'd', replaces: 'a' },
          ],
          "Multiple schedules have 'replaces' targeting the same slug: a",
        ],
      ];
      for (const [schedules, detail] of refused) {
        const answer = await patch(id, schedules);
        assert.deepEqual([answer.status, answer.body], [422, { detail }]);
      }
      const meeting = [
        { slug: 'x', schedule: daily },
        { slug: 'x', schedule: daily },
      ];
      assert.equal((await patch(id, meeting)).status, 409);
      assert.deepEqual(await slugsOf(id), ['a', 'b']);
    });

    test('all schedules are replaced where a stored one has no slug', async () => {
      const id = await deploy([{ schedule: daily, slug: 'a' }, { schedule: daily }]);
      assert.equal((await patch(id, [{ schedule: { interval: 9 } }])).status, 204);
      assert.deepEqual(await slugsOf(id), [null]);
      assert.equal((await patch(id, [])).status, 204);
      assert.deepEqual(await slugsOf(id), []);
    });

    test('the schedule route accepts its bounds and answers null', async () => {
      const id = await deploy([]);
      assert.equal((await server.post(`/deployments/${id}/schedule`)).text, 'null');
      const bounds = { start_time: '2027-01-01T00:00:00Z', min_time: 60, min_runs: 1, max_runs: 3 };
      assert.deepEqual((await server.post(`/deployments/${id}/schedule`, bounds)).status, 200);
      assert.equal((await server.post(`/deployments/${id}/schedule`, { min_runs: 'x' })).status, 422);
    });
  });
}
