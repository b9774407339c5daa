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

/**
 * The licence of each package in the SBOM. Those of the dashboard are part of its built files, so their licences are
 * given in full; npm installs the others with theirs.
 */
export function licenceList() {
  const rows = billOf(['server', 'dashboard']).components.map(
    (component) => `| ${component.name} | ${component.version} | ${licenceOf(component)} |`,
  );
  const texts = billOf(['dashboard'])
    .components.filter(({ name }) => !name.startsWith('@signalbox/'))
    .flatMap(({ name, version }) => {
      const text = licenceTextOf(name);
      return text === undefined ? [] : [`### ${name} ${version}\n\n${text.trim()}\n`];
    });
  return [
    '# Licences of other packages\n',
    'Signalbox itself is under the Apache License 2.0 (LICENSE). It uses these packages:\n',
    '| package | version | licence |\n| --- | --- | --- |',
    `${[...new Set(rows)].sort().join('\n')}\n`,
    '## Texts of those in the dashboard\n',
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

function licenceTextOf(name) {
  const folder = [join(root, 'dashboard', 'node_modules', name), join(root, 'node_modules', name)].find(existsSync);
  const file = folder && readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  return file && readFileSync(join(folder, file), 'utf8');
}
