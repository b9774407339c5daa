import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..', '..', '..');

/** What `npm start` runs, of the sources as they are now. */
export const program = join(repository, 'server', 'dist', 'main.js');

const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, 'scripts', 'build-server.mjs')]);
if (status !== 0) throw new Error(`The server could not be bundled:\n${stdout}${stderr}`);
