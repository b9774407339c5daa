/** The pages of `docs/` that are written from the program: `npm run docs` writes them, and a test holds them to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCommands, lineOf, synopsisOf } from '../server/src/command-line.ts';
import { type CommandFlag, commandFlags } from '../server/src/commands/command.ts';
import { resourcesTable } from '../server/src/process/import/resources.ts';
import { type Definition, databaseDefinitions, processDefinitions } from '../server/src/process/metrics/definitions.ts';
import { accessSettings } from '../server/src/settings/access.ts';
import { databaseSettings } from '../server/src/settings/database.ts';
import { limitSettings } from '../server/src/settings/limits.ts';
import { mailSettings } from '../server/src/settings/mail.ts';
import { mcpServerSettings } from '../server/src/settings/mcp-servers.ts';
import { serverSettings } from '../server/src/settings/server.ts';
import { SERVICE_NAMES, serviceSettings } from '../server/src/settings/services.ts';
import { flagOf, nameInFile, type Setting } from '../server/src/settings/setting.ts';
import type { Told } from '../server/test/reference/expected/finding.ts';
import { differencesBySubject } from '../server/test/reference/expected-differences.ts';
import { apiPages } from './api-pages.ts';
import { moduleMapPage } from './module-map.ts';
import { wrapped } from './wrapped.ts';

const settingGroups: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  Server: serverSettings,
  Database: databaseSettings,
  Access: accessSettings,
  Mail: mailSettings,
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
    'docs/migrating.md': migratingPage(),
    'docs/architecture/module-map.md': moduleMapPage(),
    ...apiPages(),
  };
}

const RESOURCES = /(<!-- resources: written by npm run docs -->\n\n).*?(\n\n<!-- end of resources -->)/s;

/** The page is written by hand but for its list of resources. */
function migratingPage(): string {
  const page = readFileSync(join(import.meta.dirname, '../docs/migrating.md'), 'utf8');
  return page.replace(RESOURCES, (_all, before, after) => before + resourcesTable() + after);
}

function settingsPage(): string {
  return `<!-- Written by npm run docs from server/src/settings. Do not edit by hand. -->

# Settings

A setting has one name in three spellings: \`port = 4300\` in the [settings file](#the-settings-file), \`SIGNALBOX_PORT=4300 npm start\` in
the environment, and \`npm start -- --port 4300\` as a flag. A flag wins over the environment, the environment over the settings file,
and that over the default. \`npm run -s signalbox -- config\` prints every setting with its value and where the value comes from;
\`config port\` prints one. It hides secrets, and passwords inside addresses.

- A secret can be read from a file: \`SIGNALBOX_API_AUTH_STRING_FILE=/run/secrets/auth\`.
- A setting with a Prefect name also reads that variable. The Signalbox name wins when both are set.
- The server does not start when a \`SIGNALBOX_\` variable or a name in the settings file is not a setting, or when a value is not valid.

## The settings file

\`signalbox.toml\` in the home folder, or the file that \`--config\` (\`SIGNALBOX_CONFIG\`) names, is TOML with a line for each setting. The
name is that of the environment without \`SIGNALBOX_\`, in lower case. There are no tables.

\`\`\`toml
port = 4300
host = "0.0.0.0"
api_auth = "key"
public_url = "https://signalbox.example"
services = ["scheduler", "late-runs", "triggers", "actions"]
database_url_file = "/run/secrets/database-url"
\`\`\`

- A number, true and false may be written as such or as text: \`port = 4300\` and \`port = "4300"\` are the same. Times are numbers of seconds.
- A list may be an array or the text that the environment has: \`["events", "logs"]\` and \`"events,logs"\` are the same. An empty array is
  \`none\` for \`services\` and \`retention\`, and empty for the others.
- A secret may be in the file, or in a file of its own that the name with \`_file\` leads to. Paths are relative to the folder of
  the settings file.
- The file cannot name the home folder (\`home\`) or another settings file (\`config\`).
- It is read once, at the start. A file in the home folder may be absent; one that \`--config\` names may not. It has at most 256 kB.
- Keep a file with secrets readable by the server's user only (\`chmod 600\`): the server and \`doctor\` warn when everyone may read it.

## Commands beside a running server

A server keeps what commands need in the folder \`running\` of its home folder, readable by its user only, and removes it when it stops.
\`signalbox users create\`, \`backup\`, \`doctor\` and the other commands in another terminal use these settings when they have the same home
folder. A flag or a variable of theirs that says something else wins, and a line on stderr names it. After \`kill -9\` the file stays, but is
not used: the server held a lock of the operating system that ended with it.

Secrets are not copied there. One that the server read from a file is read from the same file. The address of the database is there,
with the password if it has one in the environment or a flag. The encryption key is not: \`import\` and \`secrets rotate\` need
\`SIGNALBOX_ENCRYPTION_KEY\` in their own environment when the server has it in its own.

${Object.entries(settingGroups)
  .map(([title, settings]) => `## ${title}\n\n${Object.values(settings).map(settingSection).join('\n')}`)
  .join('\n')}
## Names of background services

${wrapped(`\`SIGNALBOX_SERVICES\` takes these names: ${SERVICE_NAMES.map((name) => `\`${name}\``).join(', ')}.`)}
`;
}

function settingSection(setting: Setting): string {
  const { name, alias, formerAlias, fallback, description, secret, notInFile, separator } = setting;
  const prefectNames = [alias, formerAlias].filter((other) => other !== undefined).map((other) => `\`${other}\``);
  const lines = [
    `Default: ${defaultText(name, fallback)}`,
    `Flag: \`--${flagOf(name)}\``,
    `In the file: ${notInFile === undefined ? `\`${nameInFile(name)}\`${separator === undefined ? '' : ', a list'}` : 'no'}`,
    ...(prefectNames.length > 0 ? [`Prefect name: ${prefectNames.join(', ')}`] : []),
    ...(secret ? [`Secret; or from the file that \`${name}_FILE\` (\`${nameInFile(name)}_file\`) names`] : []),
  ];
  return `### ${name}\n\n${wrapped(escaped(description))}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`;
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
flags of the [settings](settings.md), such as \`--home\` and \`--database-url\`, and \`--help\`. Beside a server that runs on the same home
folder, a command has the [settings of that server](settings.md#commands-beside-a-running-server).

- \`--json\` prints the result for programs. Results go to stdout; progress and advice go to stderr.
- Colours appear only on a terminal, and not where \`NO_COLOR\` is set.
- \`source <(signalbox completion --shell bash)\` completes commands and flags. zsh: \`source <(signalbox completion --shell zsh)\`;
  fish: \`signalbox completion --shell fish | source\`.

## Exit codes

- 0: the command did its work.
- 1: it found a problem (\`config\`, \`doctor\`, \`secrets rotate\`), or it failed by a fault of its own.
- 2: its flags, the data, the database or the server do not allow it. stderr says why in a sentence.

## With a running server

\`signalbox login --url https://signalbox.example\` reads an API key from standard input and keeps it in
\`~/.config/signalbox/contexts.json\`, readable by you only. Commands with \`--context <name>\` then go through the API of that server
with the rights of the key, and need no database; \`signalbox api\` calls any route. Without \`--context\`, commands for accounts, keys
and workspaces work on the database, which helps when nobody can sign in any more.

${allCommands
  .map((command) => {
    const named = command.flags.map((flag) => flag.replace('?', '') as CommandFlag);
    const list = [
      ...(command.operand ? [`- \`${command.operand.value}\`: ${command.operand.says}`] : []),
      ...named.map((flag) => `- \`${synopsisOf(flag)}\`: ${commandFlags[flag].says}`),
    ].join('\n');
    return `## ${command.words}\n\n${wrapped(escaped(command.says))}\n\n\`\`\`\n${lineOf(command)}\n\`\`\`\n${list ? `\n${list}\n` : ''}`;
  })
  .join('\n')}`;
}

function metricsPage(): string {
  return `<!-- Written by npm run docs from server/src/process/metrics/definitions.ts. Do not edit by hand. -->

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
      return wrapped(`- \`${name}\` (${kind}${told}): ${help}`, '  ');
    })
    .join('\n');
}

function differencesPage(): string {
  const sections = Object.entries(differencesBySubject).map(([subject, entries]) => {
    // Several entries may have the same facts.
    const blocks = new Set(entries.map(({ told }) => differenceBlock(told)));
    return `## ${subject}\n\n${[...blocks].join('\n')}`;
  });
  return `<!-- Written by npm run docs from server/test/reference/expected. Do not edit by hand. -->

# Known differences

\`npm run test:reference\` sends the same random requests to a Prefect server 3.9.1 ("the reference") and to Signalbox, and compares the
answers. It expects the differences on this page and fails on any other. They are differences of the API;
[Comparison](comparison.md) compares the products.

${sections.join('\n')}`;
}

function differenceBlock({ routes, request, reference, ours, why }: Told): string {
  const names = routes.map((route) => `\`${route}\``).join(', ') || 'Any route';
  const facts = { Request: request, Reference: reference, Signalbox: ours, ...(why === undefined ? {} : { Why: why }) };
  const lines = Object.entries(facts).map(([name, text]) => wrapped(`- ${name}: ${escaped(text)}`, '  '));
  return `${names}\n\n${lines.join('\n')}\n`;
}

/** A code span keeps its characters. */
function escaped(text: string): string {
  return text.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part));
}
