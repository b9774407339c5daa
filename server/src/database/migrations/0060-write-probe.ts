import type { Migration } from '../migrate.ts';

/** A row that is written to find out whether the database takes writes. */
export const writeProbe: Migration = {
  name: '0060-write-probe',
  statements: ['create table write_probe (writes {integer} not null)', 'insert into write_probe values (0)'],
};
