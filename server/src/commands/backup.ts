import { setPriority } from 'node:os';
import { makeBackup, restoreBackup } from '../process/backup/backup.ts';
import { counted } from '../values/counted.ts';
import { type Command, configOf, needed, print } from './command.ts';
import { during } from './progress.ts';

/** The priority of the backup, as for `nice`: -20 is the highest, 19 the lowest. */
const LOW_PRIORITY = 15;

/** Exit code of a backup that succeeded but lacks builds of MCP servers. */
const LACKS_BUILDS = 3;

export const backupCommands: readonly Command[] = [
  {
    words: 'backup',
    says: 'Copy the database and the builds of MCP servers into a new folder. The server may run at the same time. The exit code is 3 if the backup lacks builds that could not be copied.',
    flags: ['folder', 'with-key?'],
    json: true,
    async run(flags, json) {
      const folder = needed(flags, 'folder');
      // The server has priority over the backup, and over `pg_dump`, which inherits this.
      setPriority(LOW_PRIORITY);
      const manifest = await during(
        'Copying the database',
        makeBackup(configOf(flags), { folder, withKey: flags['with-key'] !== undefined }),
      );
      const total = sumOf(manifest.rows);
      const ofKey = flags['with-key'] === undefined ? ' without the encryption key: keep a copy of that elsewhere' : '';
      print(json, manifest, `Wrote the backup ${folder} with ${counted(total, 'row')}${ofKey}.`);
      const { leftOut = [], passedOver = 0 } = manifest;
      if (passedOver > 0) console.error(`Skipped ${passedOver} pipes, sockets and devices in builds.`);
      for (const { serverId, buildId, reason } of leftOut) {
        console.error(`The build ${buildId} of the server ${serverId} is not in the backup: ${reason}.`);
      }
      return leftOut.length > 0 ? LACKS_BUILDS : 0;
    },
  },
  {
    words: 'restore',
    says: 'Fill an empty home folder and database from a backup. Start the server afterwards.',
    flags: ['folder'],
    json: true,
    async run(flags, json) {
      const config = configOf(flags);
      const { manifest, hasKey } = await during('Filling the database', restoreBackup(config, needed(flags, 'folder')));
      const ofKey = hasKey
        ? ''
        : ` Put the encryption key of that server into ${config.home} or SIGNALBOX_ENCRYPTION_KEY before you start it.`;
      print(
        json,
        { ...manifest, hasKey },
        `Restored ${counted(sumOf(manifest.rows), 'row')} as of ${manifest.made}.${ofKey}`,
      );
      for (const { serverId, buildId } of manifest.leftOut ?? []) {
        console.error(`The backup lacks the build ${buildId} of the server ${serverId}: build it again.`);
      }
      return 0;
    },
  },
];

function sumOf(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
