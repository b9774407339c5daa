import type { Migration } from './migration.ts';

/** Changes of many runs, done in steps, with the ids of their runs. A run may be deleted first: no foreign key. */
export const bulkWork: Migration = {
  name: '0023-bulk-work',
  readableFrom: '0009-upstream-credentials',
  statements: [
    `create table bulk_work (
      workspace {integer} not null,
      id {uuid} not null,
      created {timestamp} not null,
      updated {timestamp} not null,
      action {text} not null,
      state {json},
      force {boolean} not null,
      status {text} not null,
      starts_at {timestamp} not null,
      ended {timestamp},
      total {integer} not null,
      done {integer} not null,
      skipped {integer} not null,
      failed {integer} not null,
      failures {json} not null,
      problem {text},
      created_by {json},
      primary key (workspace, id)
    )`,
    'create index ix_bulk_work_created on bulk_work (workspace, created, id)',
    `create index ix_bulk_work_unfinished on bulk_work (workspace, id) where status in ('SCHEDULED', 'RUNNING')`,
    `create table bulk_work_part (
      workspace {integer} not null,
      bulk_work_id {uuid} not null,
      number {integer} not null,
      flow_run_ids {json} not null,
      primary key (workspace, bulk_work_id, number),
      foreign key (workspace, bulk_work_id) references bulk_work (workspace, id) on delete cascade
    )`,
  ],
};
