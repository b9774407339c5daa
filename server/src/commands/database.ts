import { lockForServer } from '../database/opening/server-lock.ts';
import type { OperatorContext } from '../platform/operator/operator.ts';
import { readStorage, type StorageReport } from '../platform/operator/storage.ts';
import { sizeText } from '../process/doctor/finding.ts';
import { counted } from '../values/counted.ts';
import { type Command, configOf, operate, print, table } from './command.ts';
import { during } from './progress.ts';

export const databaseCommands: readonly Command[] = [
  {
    words: 'db report',
    says: 'Print the size and the rows of each table, the rows of each workspace, and how many rows are old enough to be deleted. Changes nothing.',
    flags: [],
    json: true,
    run: (flags, json) =>
      operate(flags, async ({ store, now }, _operator, config) => {
        const report = await during('Counting rows', readStorage(store, config, now));
        print(json, report, textOf(report));
      }),
  },
  {
    words: 'db vacuum',
    says: 'Return the space of deleted rows to the disk. SQLite rewrites the file: stop the server first and have as much free space as the database.',
    flags: [],
    json: true,
    run: async (flags, json) => {
      const config = configOf(flags);
      const lock = lockForServer(config.databaseUrl);
      const vacuum = async ({ store }: OperatorContext) => {
        const { bytes: before } = await store.size();
        await during('Rewriting the database', store.vacuum());
        const { bytes: after } = await store.size();
        print(json, { before, after }, `The database shrank from ${sizeText(before)} to ${sizeText(after)}.`);
      };
      try {
        return await operate(flags, vacuum, config);
      } finally {
        lock.release();
      }
    },
  },
];

function textOf({ bytes, freeBytes, tables, workspaces, retention }: StorageReport): string {
  const free = freeBytes === null ? '' : `, of which ${sizeText(freeBytes)} are free for new rows`;
  const columns = Object.keys(workspaces[0] ?? { workspace: '' });
  return [
    `The size of the database is ${sizeText(bytes)}${free}.`,
    table(
      ['TABLE', 'ROWS', 'SIZE'],
      tables.filter(({ rows }) => rows > 0).map((row) => [row.table, String(row.rows), sizeText(row.bytes)]),
    ),
    table(
      columns.map((column) => column.toUpperCase()),
      workspaces.map((workspace) => columns.map((column) => String(workspace[column]))),
    ),
    table(
      ['OLD ROWS', 'KEPT FOR', 'COUNT', 'WHAT HAPPENS'],
      retention.map(({ kind, isOn, days, old }) => [
        kind,
        counted(Number(days.toFixed(1)), 'day'),
        String(old),
        isOn ? 'the server deletes them' : 'they stay (SIGNALBOX_RETENTION)',
      ]),
    ),
  ].join('\n\n');
}
