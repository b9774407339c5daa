/** Moving in and out: what a server holds, read through its API or from a folder. */
import { ConfigError } from '../errors.ts';
import { ApiSource } from '../import/api-source.ts';
import { runExport } from '../import/export.ts';
import type { ExportManifest } from '../import/folder-format.ts';
import { FolderSource } from '../import/folder-source.ts';
import type { Report } from '../import/import.ts';
import { findWorkspaceKey } from '../platform/operator/organizations.ts';
import { addSeconds, systemClock } from '../time.ts';
import { type Command, type Flags, needed, operate, print, table } from './command.ts';
import { neededContext } from './contexts.ts';
import { progressLine } from './progress.ts';

const DEFAULT_DAYS = 30;
const DAY_SECONDS = 86_400;

export const importCommands: readonly Command[] = [
  {
    words: 'import',
    says: 'Bring what a Prefect server, Prefect Cloud or a folder of "signalbox export" holds into a workspace, with its ids and times. PREFECT_API_KEY or PREFECT_API_AUTH_STRING says who reads it. Can be repeated.',
    flags: ['from?', 'folder?', 'days?', 'activate?', 'dry-run?', 'workspace?', 'organization?'],
    json: true,
    /** The outcome on stdout, the progress on stderr. */
    run: (flags, json) =>
      operate(flags, async (context, operator) => {
        const { organization = 'default', workspace = 'default', folder } = flags;
        if (folder !== undefined && flags.from !== undefined)
          throw new ConfigError('Give --from or --folder, not both.');
        const ofFolder = folder === undefined ? undefined : await FolderSource.open(folder);
        const source = ofFolder ?? sourceOf(flags);
        const isWholeFolder = ofFolder && flags.days === undefined;
        const since = isWholeFolder ? ofFolder.since : addSeconds(context.now, -DAY_SECONDS * daysOf(flags));
        if (flags['dry-run']) {
          const found = await source.counts(since);
          print(json, found, table(['OBJECTS', 'IN THE SOURCE'], rowsOf(found)));
          return;
        }
        const key = await findWorkspaceKey(context, { organization, handle: workspace });
        const progress = progressLine('Reading');
        const activates = flags.activate !== undefined;
        const report = await operator
          .importInto(key, { source, since, activates, onProgress: progress.show })
          .finally(progress.end);
        print(json, report, described(report));
      }),
  },
  {
    words: 'export',
    says: 'Write what "signalbox import" reads into a new folder, through the API of a running Signalbox or Prefect server: JSON lines for each kind of object, and export.json with counts and checksums. PREFECT_API_KEY or PREFECT_API_AUTH_STRING says who reads it, or a context.',
    flags: ['folder', 'from?', 'context?', 'days?', 'with-secrets?'],
    json: true,
    async run(flags, json) {
      const folder = needed(flags, 'folder');
      const withSecrets = flags['with-secrets'] !== undefined;
      const source = sourceOf(flags, withSecrets);
      const now = systemClock.now();
      const since = addSeconds(now, -DAY_SECONDS * daysOf(flags));
      const progress = progressLine('Writing');
      const manifest = await runExport({ source, folder, withSecrets, since, now, onProgress: progress.show }).finally(
        progress.end,
      );
      print(json, manifest, writtenTo(folder, manifest));
      return 0;
    },
  },
];

function sourceOf(flags: Flags, withSecrets = true): ApiSource {
  if (flags.context !== undefined) {
    if (flags.from !== undefined) throw new ConfigError('Give --from or --context, not both.');
    const { url, key } = neededContext(flags.context);
    return new ApiSource({ url: `${url}/api`, apiKey: key, withSecrets });
  }
  const url = flags.from ?? process.env['PREFECT_API_URL'];
  if (!url) throw new ConfigError('Give --from, the address of the API to read, or set PREFECT_API_URL.');
  return new ApiSource({
    url,
    apiKey: process.env['PREFECT_API_KEY'],
    authString: process.env['PREFECT_API_AUTH_STRING'],
    withSecrets,
  });
}

function daysOf({ days = String(DEFAULT_DAYS) }: Flags): number {
  if (/^\d{1,5}$/.test(days)) return Number(days);
  throw new ConfigError(`--days is a whole number of days, not "${days}".`);
}

function described({ objects, remarks }: Report): string {
  const rows = Object.entries(objects).map(([kind, { read, added }]) => [kind, String(read), String(added)]);
  return [table(['OBJECTS', 'READ', 'NEW HERE'], rows), ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n');
}

function writtenTo(folder: string, { files, waiting, withSecrets }: ExportManifest): string {
  const rows = Object.entries(files).map(([kind, { lines }]) => [kind.replaceAll('_', ' '), String(lines)]);
  return [
    table(['OBJECTS', `IN ${folder}`], rows),
    '',
    ...(waiting > 0 ? [`${waiting} runs that have not begun stay in the source.`] : []),
    withSecrets
      ? 'The folder has the secrets that the source shows. Keep it as you keep them.'
      : 'The folder has no secrets of blocks: an import lists what to enter again.',
  ].join('\n');
}

function rowsOf(counts: Readonly<Record<string, number>>): string[][] {
  return Object.entries(counts).map(([what, count]) => [what, String(count)]);
}
