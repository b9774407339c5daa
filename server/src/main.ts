import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { keepYoungGenerationSmall } from './start-up-memory.ts';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Signalbox needs Node 24 or newer; this is ${process.versions.node}. In a clone, "npm start" brings its own.`,
  );
  process.exit(1);
}

keepYoungGenerationSmall();
// Stripping the types of every file costs a second and 20 MB at each start; the result is kept beside the dependencies.
// Where that folder cannot be written, nothing is kept. The rest is imported after this, so that it is covered.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/signalbox'));
const { ConfigError } = await import('./config.ts');
const { commands } = await import('./command-line.ts');

try {
  process.exitCode = await commands(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
