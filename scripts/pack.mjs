// Makes the package that `npx` runs and the image holds, as .work/signalbox-<version>.tgz: the bundled server beside the
// built dashboard and documentation. It needs nothing from a registry, so installing it is a matter of seconds.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials, licenceList } from './bill-of-materials.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const staged = join(root, '.work', 'package');
const SWAGGER_UI = 'swagger-ui-dist';
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
writePackageFiles();
stageServer();
stageSwaggerUi();
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
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { signalbox: 'server/dist/main.js' },
    engines: { node: '>=24' },
    dependencies: { [SWAGGER_UI]: readJson('server/package.json').dependencies[SWAGGER_UI] },
    bundleDependencies: [SWAGGER_UI],
  };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // The server reads its version there.
  mkdirSync(join(staged, 'server'));
  writeFileSync(join(staged, 'server', 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`);
}

function stageServer() {
  for (const path of filesOf(join(root, 'server', 'dist'))) {
    if (path.endsWith('.js')) stage(path);
  }
  const main = join(staged, 'server', 'dist', 'main.js');
  writeFileSync(main, `#!/usr/bin/env node\n${readFileSync(main, 'utf8')}`, { mode: 0o755 });
  // Data and programs that the bundle reads.
  for (const path of filesOf(join(root, 'server', 'src'))) {
    if (/\.(json|mjs)$/.test(path)) stage(path);
  }
}

/** The files that the page of the API loads: the whole package is large, and depends on one that reports installations. */
function stageSwaggerUi() {
  const from = join('node_modules', SWAGGER_UI);
  const { name, version, license } = readJson(join(from, 'package.json'));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE', 'NOTICE']) {
    stage(join(root, from, file));
  }
  writeFileSync(join(staged, from, 'package.json'), `${JSON.stringify({ name, version, license })}\n`);
}

function stage(path) {
  const target = join(staged, relative(root, path));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(path, target);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
