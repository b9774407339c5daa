import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deploymentSchedule, NOW } from '../../test/factories.ts';
import { draftOf, type Schedule, scheduleOf } from './schedule-draft.ts';

describe('the dialog of a schedule', () => {
  test('saves a schedule that nobody has changed as it was', () => {
    const schedules: readonly Schedule[] = [
      { cron: '0 3 * * *', timezone: 'Europe/Berlin', day_or: false },
      { rrule: 'FREQ=DAILY;COUNT=3', timezone: 'UTC' },
      { interval: 5400, timezone: 'Asia/Kathmandu', anchor_date: NOW },
      { interval: 90, timezone: 'UTC', anchor_date: NOW },
      { interval: 0.5, timezone: 'UTC', anchor_date: NOW },
    ];
    for (const schedule of schedules) {
      assert.deepEqual(scheduleOf(draftOf(deploymentSchedule(schedule)), schedule), schedule);
    }
  });

  test('shows an interval in the largest unit that it fills', () => {
    const shown = (interval: number) => {
      const { every, unit } = draftOf(deploymentSchedule({ interval, timezone: 'UTC' }));
      return `${every} ${unit}`;
    };
    assert.deepEqual([172_800, 7200, 5400, 600, 90].map(shown), [
      '2 days',
      '2 hours',
      '90 minutes',
      '10 minutes',
      '1.5 minutes',
    ]);
  });

  test('begins a new schedule in the zone of the browser', () => {
    const draft = draftOf(undefined);
    assert.equal(draft.kind, 'cron');
    assert.equal(draft.zone, Intl.DateTimeFormat().resolvedOptions().timeZone);
    assert.equal(draft.parameters, '');
  });

  test('shows the parameters of the schedule, where it has some', () => {
    const schedule = { cron: '0 3 * * *' };
    assert.equal(draftOf(deploymentSchedule(schedule, { parameters: {} })).parameters, '');
    assert.deepEqual(JSON.parse(draftOf(deploymentSchedule(schedule, { parameters: { day: 1 } })).parameters), {
      day: 1,
    });
  });

  test('forgets what belonged to the kind of schedule that it was', () => {
    const old: Schedule = { interval: 3600, timezone: 'UTC', anchor_date: NOW };
    const draft = { ...draftOf(deploymentSchedule(old)), kind: 'cron' as const, cron: ' 5 4 * * * ' };
    assert.deepEqual(scheduleOf(draft, old), { cron: '5 4 * * *', timezone: 'UTC', day_or: true });
  });
});
