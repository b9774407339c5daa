/**
 * Triggers raise this number with every change of access, also when another replica or an operator's command makes it.
 * A process with open connections reads this one row and checks their access only when the number has changed.
 * PostgreSQL locks the row only at the commit, so transactions wait for each other only as long as a commit takes.
 */
import type { Migration } from './migration.ts';

interface Watched {
  readonly table: string;
  /** Columns of `old` and `new` whose change may remove access, or change what is visible. */
  readonly columns: readonly string[];
  /** A new row may reduce the rights of its actor. */
  readonly inserts?: boolean;
}

const table = [
  'create table access_version (id {integer} primary key, version {wide_integer} not null)',
  'insert into access_version values (1, 1)',
];

/** The number itself. */
export const accessVersion = {
  sqlite: table,
  postgres: [
    ...table,
    `create function count_access_change() returns trigger language plpgsql as $count$
      begin
        if coalesce(current_setting('signalbox.access_counted', true), '') <> txid_current()::text then
          update access_version set version = version + 1;
          perform set_config('signalbox.access_counted', txid_current()::text, true);
        end if;
        return null;
      end $count$`,
  ],
} satisfies Migration['statements'];

/** The triggers of a table that count its changes. */
export const countsAccessChanges = {
  sqlite: ({ table, columns, inserts }: Watched): string[] => {
    const count = 'begin update access_version set version = version + 1; end';
    return [
      `create trigger ${table}_access_changed after update of ${columns.join(', ')} on ${table}
        when ${columns.map((column) => `old.${column} is not new.${column}`).join(' or ')} ${count}`,
      `create trigger ${table}_access_ended after delete on ${table} ${count}`,
      ...(inserts ? [`create trigger ${table}_access_given after insert on ${table} ${count}`] : []),
    ];
  },
  postgres: ({ table, columns, inserts }: Watched): string[] => {
    const count = 'deferrable initially deferred for each row';
    const run = 'execute function count_access_change()';
    return [
      `create constraint trigger ${table}_access_changed after update of ${columns.join(', ')} on ${table} ${count}
        when (${columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')}) ${run}`,
      `create constraint trigger ${table}_access_ended after delete on ${table} ${count} ${run}`,
      ...(inserts ? [`create constraint trigger ${table}_access_given after insert on ${table} ${count} ${run}`] : []),
    ];
  },
};
