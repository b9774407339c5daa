/** The pages of `docs/` that are written from the program: `npm run docs` writes them, and a test holds them to it. */
import { allCommands, lineOf, synopsisOf } from '../server/src/command-line.ts';
import { type CommandFlag, commandFlags } from '../server/src/commands/command.ts';
import { flagOf } from '../server/src/config.ts';
import { type Definition, databaseDefinitions, processDefinitions } from '../server/src/metrics/definitions.ts';
import { accessSettings } from '../server/src/settings/access.ts';
import { databaseSettings } from '../server/src/settings/database.ts';
import { limitSettings } from '../server/src/settings/limits.ts';
import { mcpServerSettings } from '../server/src/settings/mcp-servers.ts';
import { serverSettings } from '../server/src/settings/server.ts';
import { SERVICE_NAMES, serviceSettings } from '../server/src/settings/services.ts';
import type { Setting } from '../server/src/settings/setting.ts';
import { differencesBySubject } from '../server/test/reference/expected-differences.ts';
import { apiPages } from './api-pages.ts';

const settingGroups: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  Server: serverSettings,
  Database: databaseSettings,
  Access: accessSettings,
  Limits: limitSettings,
  'Background services': serviceSettings,
  'MCP servers': mcpServerSettings,
};

/** Contents by path in the repository. */
export function referencePages(): Record<string, string> {
  return {
    'docs/settings.md': settingsPage(),
    'docs/commands.md': commandsPage(),
    'docs/metrics.md': metricsPage(),
    'docs/differences.md': differencesPage(),
    ...apiPages(),
  };
}

function settingsPage(): string {
  return `<!-- Written by npm run docs from server/src/settings. Do not edit by hand. -->

# Settings

Set a setting in the environment, \`SIGNALBOX_PORT=4300 npm start\`, or as a flag, \`npm start -- --port 4300\`. A flag wins over
the environment, and the environment wins over the default. \`npm run -s signalbox -- config\` prints every setting with its
value and where the value comes from.

- A secret can be read from a file: \`SIGNALBOX_API_AUTH_STRING_FILE=/run/secrets/auth\`.
- A setting with a Prefect name also reads that variable. The Signalbox name wins when both are set.
- The server does not start when a \`SIGNALBOX_\` variable is not a setting, or when a value is not valid.

${Object.entries(settingGroups)
  .map(([title, settings]) => `## ${title}\n\n${Object.values(settings).map(settingSection).join('\n')}`)
  .join('\n')}
## Names of background services

\`SIGNALBOX_SERVICES\` takes these names: ${SERVICE_NAMES.map((name) => `\`${name}\``).join(', ')}.
`;
}

function settingSection({ name, alias, formerAlias, fallback, description, secret }: Setting): string {
  const prefectNames = [alias, formerAlias].filter((other) => other !== undefined).map((other) => `\`${other}\``);
  const lines = [
    `Default: ${defaultText(name, fallback)}`,
    `Flag: \`--${flagOf(name)}\``,
    ...(prefectNames.length > 0 ? [`Prefect name: ${prefectNames.join(', ')}`] : []),
    ...(secret ? [`Secret; or from the file that \`${name}_FILE\` names`] : []),
  ];
  return `### ${name}\n\n${escaped(description)}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`;
}

/** The pages show `~` in place of the home folder of the machine that writes them. */
function defaultText(name: string, fallback: string): string {
  return name === 'SIGNALBOX_HOME' ? '`~/.signalbox`' : fallback === '' ? 'empty' : `\`${fallback}\``;
}

function commandsPage(): string {
  return `<!-- Written by npm run docs from server/src/commands. Do not edit by hand. -->

# Commands

Run a command in a clone as \`npm run -s signalbox -- <command>\`. The commands for accounts, keys and workspaces work on the
database directly, also while the server runs; the database must have been started once by a server. Each command takes the
flags of the [settings](settings.md), such as \`--home\` and \`--database-url\`, and \`--help\`.

- \`--json\` prints the result for programs. Results go to stdout; progress and advice go to stderr.
- Colours appear only on a terminal, and not where \`NO_COLOR\` is set.
- \`source <(signalbox completion --shell bash)\` completes commands and flags. zsh: \`source <(signalbox completion --shell zsh)\`;
  fish: \`signalbox completion --shell fish | source\`.

## Exit codes

- 0: the command did its work.
- 1: it found a problem (\`doctor\`, \`secrets rotate\`), or it failed by a fault of its own.
- 2: its flags, the data, the database or the server do not allow it. stderr says why in a sentence.

## With a running server

\`signalbox login --url https://signalbox.example\` reads an API key from standard input and keeps it in
\`~/.config/signalbox/contexts.json\`, readable by you only. Commands with \`--context <name>\` then go through the API of that server
with the rights of the key, and need no database; \`signalbox api\` calls any route. Without \`--context\`, commands for accounts, keys
and workspaces work on the database, which helps when nobody can sign in any more.

${allCommands
  .map((command) => {
    const named = command.flags.map((flag) => flag.replace('?', '') as CommandFlag);
    const list = named.map((flag) => `- \`${synopsisOf(flag)}\`: ${commandFlags[flag].says}`).join('\n');
    return `## ${command.words}\n\n${escaped(command.says)}\n\n\`\`\`\n${lineOf(command)}\n\`\`\`\n${list ? `\n${list}\n` : ''}`;
  })
  .join('\n')}`;
}

function metricsPage(): string {
  return `<!-- Written by npm run docs from server/src/metrics/definitions.ts. Do not edit by hand. -->

# Metrics

\`SIGNALBOX_METRICS_PORT=9464\` switches them on; [Operating](operating.md#metrics) says how to scrape them, and has a board and
alert rules. Labels that users choose are bounded: 50 workspaces, 100 work pools and 100 MCP servers have a series of their own,
and later ones share \`other\`. MCP servers with the same slug in several organizations share a series.

## Of each process

With them come the usual metrics of Node and of the process (\`nodejs_eventloop_lag_p99_seconds\`, \`process_resident_memory_bytes\`).

${metricsList(processDefinitions)}

## Of the database

Every process on one database says the same: take the maximum, and do not add them. They are read at most every ten seconds.

${metricsList(databaseDefinitions)}
`;
}

function metricsList(definitions: Readonly<Record<string, Definition>>): string {
  return Object.entries(definitions)
    .map(([name, { kind, labels, help }]) => {
      const told = labels.length === 0 ? '' : ` by ${labels.map((label) => `\`${label}\``).join(', ')}`;
      return `- \`${name}\` (${kind}${told}): ${help}`;
    })
    .join('\n');
}

function differencesPage(): string {
  const sections = Object.entries(differencesBySubject).map(([subject, differences]) => {
    const reasons = [...new Set(differences.map(({ reason }) => reason))];
    const lines = reasons.map((reason) => `- ${escaped(reason.charAt(0).toUpperCase() + reason.slice(1))}.`);
    return `## ${subject}\n\n${lines.join('\n')}\n`;
  });
  return `<!-- Written by npm run docs from server/test/reference/expected. Do not edit by hand. -->

# Known differences

\`npm run test:reference\` sends the same random requests to a Prefect server 3.9.1 ("the reference") and to Signalbox, and compares the
answers. These are the differences that it expects. Any other one fails the test. They are of the API; [Comparison](comparison.md) is
about the products.

${sections.join('\n')}`;
}

function escaped(text: string): string {
  return text.replaceAll('<', '\\<');
}
