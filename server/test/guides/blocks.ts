/** The code blocks of the documents, and which of them run in a test. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');

export interface Block {
  /** `docs/operating.md` */
  readonly page: string;
  /** What follows the backticks, such as `bash run`. */
  readonly info: string;
  readonly text: string;
}

/** Generated from the program. */
const NOT_COMMANDS: ReadonlySet<string> = new Set(['docs/commands.md']);

/** Blocks of these pages run, in their order, as one script. */
export const SCRIPTS = [
  'README',
  'gateway',
  'identity',
  'operating',
  'drills',
  'hosting',
  'migrating',
  'webhooks-and-backfill',
] as const;
export type Script = (typeof SCRIPTS)[number];

/** Commands that no guide runs, by their beginning, and why. */
export const UNRUN: Readonly<Record<string, string>> = {
  'npm start      #': 'these two run the tests themselves',
  'port = 4300\n': 'a settings file: settings/sources/file.test.ts sets each of its lines',
  'npm start -- --port 4300 &': 'how-tos.guide.ts has a server that runs beside a Prefect server',
  'npm run package': 'test:package makes and installs it, and this would take the time of the guides twice',
  'npm install --prefix /opt/signalbox': 'needs systemd and root; conformance/deploy.test.ts reads both files',
  'signalbox doctor': 'needs the unit of the block before',
  'systemctl stop signalbox': 'needs the unit of the block before',
  'systemctl reload signalbox': 'needs the unit of an earlier block; supervisor.test.ts sends the signal',
  'npm start\n': 'quickstarts.guide.ts has a server that runs',
  'python3 -m venv .venv && . .venv/bin/activate': 'the suites install the same client once for all',
  '/servers/<organization>': 'an address',
  'claude mcp add': 'Claude Code is not free to install; npm run test:mcp connects official clients to such addresses',
  'fastmcp login': 'a person signs in: npm run test:fastmcp and the scenario cloud_login do',
  'SIGNALBOX_PUBLIC_URL=https://signalbox.example SIGNALBOX_OIDC_LABEL':
    'needs a provider: the tests of oidc/ start one',
  'SIGNALBOX_PUBLIC_URL=https://signalbox.example.com\nSIGNALBOX_SMTP_URL':
    'needs a mail server of a provider: mail.test.ts and invitation-mail.test.ts start one',
  '{\n  "type": "send-notification"': 'a part of a request: mail-members.test.ts sends such actions',
  'SIGNALBOX_OIDC_SCOPES=': 'settings of the block before',
  '# /api with SIGNALBOX_API_AUTH=key': 'settings: the scenarios key_as_auth_string and hosted_address use each',
  'prefect cloud webhook create': 'the scenario cli_webhooks runs them',
  'SIGNALBOX_PUBLIC_URL=https://signalbox.example SIGNALBOX_BASE_PATH=/signalbox':
    'proxies.guide.ts starts the server so',
  'export PREFECT_API_URL=https://signalbox.example/signalbox/api': 'proxies.guide.ts runs a flow with them',
};

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(repository, page), 'utf8');
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, info = '', block = '']) => ({
    page,
    info,
    text: block,
  }));
}

export function allBlocks(): Block[] {
  const pages = ['README.md', ...globSync('docs/*.md', { cwd: repository })].sort();
  return pages.filter((page) => !NOT_COMMANDS.has(page)).flatMap(blocksOf);
}

export function reasonNotToRun({ text }: Block): string | undefined {
  return Object.entries(UNRUN).find(([beginning]) => text.startsWith(beginning))?.[1];
}

/** The file of a page, in the repository. */
export function fileOf(page: Script): string {
  return page === 'README' ? 'README.md' : `docs/${page}.md`;
}

/** The commands of a page that run as one script. */
export function scriptOf(page: Script): string {
  const blocks = blocksOf(fileOf(page)).filter(
    (block) => (block.info === '' || block.info === 'bash') && reasonNotToRun(block) === undefined,
  );
  return blocks.map(({ text }) => text).join('');
}
