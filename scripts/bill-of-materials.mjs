// What the package is made of: an SBOM (CycloneDX) of the packages in the lockfile, and their licences.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.mjs';

/** The SBOM of the packages that the server and the dashboard use when they run; the same text for the same lockfile. */
export function billOfMaterials() {
  const bill = billOf(['server', 'dashboard']);
  // These two differ at each call.
  bill.serialNumber = undefined;
  bill.metadata.timestamp = undefined;
  bill.metadata.component.name = 'signalbox';
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** The licence of each package in the SBOM, in full: the packages are part of the built files. */
export function licenceList() {
  const { components } = billOf(['server', 'dashboard']);
  const rows = components.map((component) => `| ${component.name} | ${component.version} | ${licenceOf(component)} |`);
  const texts = components
    .filter(({ name }) => !name.startsWith('@signalbox/'))
    .flatMap(({ name, version }) => {
      const text = licenceTextOf(name);
      return text === undefined ? [] : [`### ${name} ${version}\n\n${text}\n`];
    });
  return [
    '# Licences of other packages\n',
    'Signalbox itself is under the Apache License 2.0 (LICENSE). It uses these packages:\n',
    '| package | version | licence |\n| --- | --- | --- |',
    `${[...new Set(rows)].sort().join('\n')}\n`,
    '## Texts\n',
    ...texts,
  ].join('\n');
}

function billOf(workspaces) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  const chosen = workspaces.flatMap((name) => ['--workspace', name]);
  const { status, stdout, stderr } = spawnSync('npm', [...words, ...chosen], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout);
}

function licenceOf({ licenses = [] }) {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
  return names.join(', ') || 'not declared';
}

/** What the package asks to be given with it: its licence, and its notice where it has one. */
function licenceTextOf(name) {
  const folder = [join(root, 'dashboard', 'node_modules', name), join(root, 'node_modules', name)].find(existsSync);
  if (!folder) return undefined;
  const files = readdirSync(folder);
  const found = [/^(licen[cs]e|copying)/i, /^notice/i].flatMap(
    (wanted) => files.find((file) => wanted.test(file)) ?? [],
  );
  return found.length === 0
    ? undefined
    : found.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}
