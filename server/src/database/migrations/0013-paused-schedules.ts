import type { Migration } from './migration.ts';

/** Marks schedules that a person paused. They stay paused when their deployment is deployed again. */
export const pausedSchedules: Migration = {
  name: '0013-paused-schedules',
  readableFrom: '0009-upstream-credentials',
  statements: ['alter table deployment_schedule add column paused {boolean}'],
};
