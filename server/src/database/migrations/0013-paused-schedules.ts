import type { Migration } from './migration.ts';

/** A schedule that was switched off by itself stays off when its deployment is deployed again. */
export const pausedSchedules: Migration = {
  name: '0013-paused-schedules',
  readableFrom: '0009-upstream-credentials',
  statements: ['alter table deployment_schedule add column paused {boolean}'],
};
