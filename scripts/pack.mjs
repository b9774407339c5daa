// Makes the package that `npx` runs: the server as JavaScript beside the built dashboard and documentation, as .work/signalbox-<version>.tgz.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials, licenceList } from './bill-of-materials.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const staged = join(root, '.work', 'package');
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
writePackageFiles();
for (const path of filesOf(join(root, 'server', 'src'))) stageSource(path);
for (const built of ['dashboard', 'help']) {
  cpSync(join(root, built, 'dist'), join(staged, built, 'dist'), { recursive: true });
}
for (const name of ['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md']) cpSync(join(root, name), join(staged, name));
writeFileSync(join(staged, 'sbom.cdx.json'), billOfMaterials());
writeFileSync(join(staged, 'LICENSES.md'), licenceList());

const { status, stdout, stderr } = spawnSync('npm', ['pack', '--silent', '--pack-destination', '..'], {
  cwd: staged,
  encoding: 'utf8',
});
if (status !== 0) throw new Error(stderr);
const tarball = join(root, '.work', stdout.trim());
console.log(`${tarball} ${(statSync(tarball).size / 1024 / 1024).toFixed(2)} MB`);

function writePackageFiles() {
  const { name, version, description, license } = readJson('package.json');
  const { dependencies } = readJson('server/package.json');
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { signalbox: 'server/src/main.js' },
    engines: { node: '>=24' },
    dependencies,
  };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // The server reads its version there.
  mkdirSync(join(staged, 'server'));
  writeFileSync(join(staged, 'server', 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`);
}

/** Node strips no types below `node_modules`, so the package has none. Lines and columns stay as they are. */
function stageSource(path) {
  if (path.endsWith('.test.ts')) return;
  const isTyped = extname(path) === '.ts';
  const target = join(staged, relative(root, path).replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  const isCode = isTyped || /\.m?js$/.test(path);
  if (!isCode) return cpSync(path, target);
  const source = readFileSync(path, 'utf8');
  const code = isTyped ? stripTypeScriptTypes(source) : `${source.startsWith('#!') ? '' : shebang(path)}${source}`;
  const mode = path.endsWith('main.js') ? 0o755 : 0o644;
  writeFileSync(target, code.replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'), { mode });
}

function shebang(path) {
  return path.endsWith('main.js') ? '#!/usr/bin/env node\n' : '';
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
