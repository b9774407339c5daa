import { ConfigError } from '../errors.ts';
import { previewImport, type Report } from '../import/import.ts';
import { Source } from '../import/source.ts';
import { findWorkspaceKey } from '../platform/operator/organizations.ts';
import { addSeconds } from '../time.ts';
import { type Command, type Flags, operate, print, table } from './command.ts';

const DEFAULT_DAYS = 30;
const DAY_SECONDS = 86_400;

export const importCommands: readonly Command[] = [
  {
    words: 'import',
    says: 'Bring what a Prefect server or Prefect Cloud holds into a workspace, with its ids and times. PREFECT_API_KEY or PREFECT_API_AUTH_STRING says who reads it. Can be repeated.',
    flags: ['from?', 'days?', 'activate?', 'dry-run?', 'workspace?', 'organization?'],
    json: true,
    /** The outcome on stdout, the progress on stderr. */
    run: (flags, json) =>
      operate(flags, async (context, operator) => {
        const { organization = 'default', workspace = 'default' } = flags;
        const source = sourceOf(flags);
        const since = addSeconds(context.now, -DAY_SECONDS * daysOf(flags));
        if (flags['dry-run']) {
          const found = await previewImport(source, since);
          print(json, found, table(['OBJECTS', 'IN THE SOURCE'], rowsOf(found)));
          return;
        }
        const key = await findWorkspaceKey(context, { organization, handle: workspace });
        const progress = progressLine();
        const report = await operator.importInto(key, {
          source,
          since,
          activates: flags.activate !== undefined,
          onProgress: progress.show,
        });
        progress.end();
        print(json, report, described(report));
      }),
  },
];

function sourceOf(flags: Flags): Source {
  const url = flags.from ?? process.env['PREFECT_API_URL'];
  if (!url) throw new ConfigError('Give --from, the address of the API to read, or set PREFECT_API_URL.');
  return new Source({
    url,
    apiKey: process.env['PREFECT_API_KEY'],
    authString: process.env['PREFECT_API_AUTH_STRING'],
  });
}

function daysOf({ days = String(DEFAULT_DAYS) }: Flags): number {
  if (/^\d{1,5}$/.test(days)) return Number(days);
  throw new ConfigError(`--days is a whole number of days, not "${days}".`);
}

/** One line that changes on a terminal, and a line for each step elsewhere. */
function progressLine() {
  const { stderr } = process;
  return {
    show: (doing: string) => {
      stderr.write(stderr.isTTY ? `\r\u001b[KReading ${doing} ...` : `Reading ${doing} ...\n`);
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}

function described({ objects, remarks }: Report): string {
  const rows = Object.entries(objects).map(([kind, { read, added }]) => [kind, String(read), String(added)]);
  return [table(['OBJECTS', 'READ', 'NEW HERE'], rows), ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n');
}

function rowsOf(counts: Readonly<Record<string, number>>): string[][] {
  return Object.entries(counts).map(([what, count]) => [what, String(count)]);
}
