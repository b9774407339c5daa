/** The commands that export and import the data of a server, read through its API or from a folder. */
import { ConfigError } from '../errors.ts';
import { findWorkspaceKey } from '../platform/operator/organizations.ts';
import { runExport } from '../process/import/export.ts';
import type { Report } from '../process/import/import.ts';
import { resources } from '../process/import/resources.ts';
import type { ApiAddress } from '../process/import/sources/api-client.ts';
import { ApiSource } from '../process/import/sources/api-source.ts';
import type { ExportManifest } from '../process/import/sources/folder-format.ts';
import { FolderSource } from '../process/import/sources/folder-source.ts';
import { addSeconds, systemClock } from '../values/time.ts';
import { type Command, type Flags, needed, operate, print, table } from './command.ts';
import { neededContext } from './contexts.ts';
import { progressLine } from './progress.ts';

const DEFAULT_DAYS = 30;
const DAY_SECONDS = 86_400;

export const importCommands: readonly Command[] = [
  {
    words: 'import',
    says: 'Copy the data of a Prefect server, Prefect Cloud or a folder of "signalbox export" into a workspace, with its ids and times. Authenticates with PREFECT_API_KEY or PREFECT_API_AUTH_STRING. Safe to run again.',
    flags: ['from?', 'folder?', 'days?', 'activate?', 'dry-run?', 'workspace?', 'organization?'],
    json: true,
    /** The result goes to stdout, the progress to stderr. */
    run: (flags, json) =>
      operate(flags, async (context, operator) => {
        const { organization = 'default', workspace = 'default', folder } = flags;
        if (folder !== undefined && flags.from !== undefined)
          throw new ConfigError('Give --from or --folder, not both.');
        const ofFolder = folder === undefined ? undefined : await FolderSource.open(folder);
        const key = await findWorkspaceKey(context, { organization, handle: workspace });
        const source = ofFolder ?? (await connected(flags));
        const isWholeFolder = ofFolder && flags.days === undefined;
        const since = isWholeFolder ? ofFolder.since : addSeconds(context.now, -DAY_SECONDS * daysOf(flags));
        const isDry = flags['dry-run'] !== undefined;
        const progress = progressLine('Reading');
        if (source instanceof ApiSource) source.onWait = progress.show;
        const activates = flags.activate !== undefined;
        const report = await operator
          .importInto(key, { source, since, activates, isDry, onProgress: progress.show })
          .finally(progress.end);
        print(json, report, described(report));
      }),
  },
  {
    words: 'export',
    says: 'Write the data that "signalbox import" reads into a new folder, through the API of a running Signalbox or Prefect server: JSON lines for each kind of object, and export.json with counts and checksums. Authenticates with PREFECT_API_KEY or PREFECT_API_AUTH_STRING, or with a context.',
    flags: ['folder', 'from?', 'context?', 'days?', 'with-secrets?'],
    json: true,
    async run(flags, json) {
      const folder = needed(flags, 'folder');
      const withSecrets = flags['with-secrets'] !== undefined;
      const source = await connected(flags, withSecrets);
      const now = systemClock.now();
      const since = addSeconds(now, -DAY_SECONDS * daysOf(flags));
      const progress = progressLine('Writing');
      source.onWait = progress.show;
      const manifest = await runExport({ source, folder, withSecrets, since, now, onProgress: progress.show }).finally(
        progress.end,
      );
      print(json, manifest, writtenTo(folder, manifest));
      return 0;
    },
  },
];

/** Prints remarks about the source on stderr before reading it. */
async function connected(flags: Flags, withSecrets = true): Promise<ApiSource> {
  const { source, remarks } = await ApiSource.connect({ ...addressOf(flags), withSecrets });
  for (const remark of remarks) console.error(remark);
  return source;
}

function addressOf(flags: Flags): ApiAddress {
  if (flags.context !== undefined) {
    if (flags.from !== undefined) throw new ConfigError('Give --from or --context, not both.');
    const { url, key } = neededContext(flags.context);
    return { url: `${url}/api`, apiKey: key };
  }
  const url = flags.from ?? process.env['PREFECT_API_URL'];
  if (!url) throw new ConfigError('Give --from, the address of the API to read, or set PREFECT_API_URL.');
  return { url, apiKey: process.env['PREFECT_API_KEY'], authString: process.env['PREFECT_API_AUTH_STRING'] };
}

function daysOf({ days = String(DEFAULT_DAYS) }: Flags): number {
  if (/^\d{1,5}$/.test(days)) return Number(days);
  throw new ConfigError(`--days is a whole number of days, not "${days}".`);
}

function described({ isDry, source, objects, left, remarks }: Report): string {
  const rows = Object.entries(objects).map(([kind, { read, added, changed }]) =>
    [kind, read, added, changed, read - added - changed].map(String),
  );
  const head = isDry
    ? ['OBJECTS', 'IN THE SOURCE', 'WOULD BE NEW', 'WOULD CHANGE', 'HERE ALREADY']
    : ['OBJECTS', 'READ', 'NEW HERE', 'CHANGED', 'HERE ALREADY'];
  const leftRows = left.map(({ what, count, why }) => [what, String(count), why]);
  const parts = [
    ...(isDry ? [`Dry run: nothing was changed. ${source} contains`] : []),
    table(head, rows),
    ...(isDry ? ['States and logs of flow runs, and inputs of unfinished ones, are imported with their runs.'] : []),
    ...(leftRows.length > 0 ? ['', table(['STAYS IN THE SOURCE', 'COUNT', 'WHY'], leftRows)] : []),
    ...(isDry ? ['', alwaysLeft(left)] : []),
    ...(remarks.length > 0 ? ['', ...remarks] : []),
  ];
  return parts.join('\n');
}

/** The kinds that an import always leaves out, without those that were counted. */
function alwaysLeft(left: Report['left']): string {
  const counted = new Set(left.map(({ what }) => what));
  const rows = resources.filter(({ what, comes }) => !comes && !counted.has(what)).map(({ what, why }) => [what, why]);
  return table(['NEVER IMPORTED', 'WHY'], rows);
}

function writtenTo(folder: string, { files, waiting, withSecrets }: ExportManifest): string {
  const rows = Object.entries(files).map(([kind, { lines }]) => [kind.replaceAll('_', ' '), String(lines)]);
  return [
    table(['OBJECTS', `IN ${folder}`], rows),
    '',
    ...(waiting > 0
      ? [
          `${waiting} of the flow runs have not started: an import with --activate adds those that no schedule creates again.`,
        ]
      : []),
    withSecrets
      ? 'The folder contains the secrets that the source reveals. Protect it like them.'
      : 'The folder contains no secrets of blocks: an import lists the values to enter again.',
  ].join('\n');
}
