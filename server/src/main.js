// The way in, and the only file in JavaScript: Node strips the types of what is loaded before the compile cache is on by
// itself, at every start, with a stripper of 10 MB that stays in memory.
// As a whole: a name that an old Node does not have would fail before the check below.
import nodeModule from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Signalbox needs Node 24 or newer; this is ${process.versions.node}. In a clone, "npm start" brings its own.`,
  );
  process.exit(1);
}

// Loading modules makes garbage once, for which V8 would enlarge its young generation by some 20 MB and keep them. It may
// grow with the work that comes later; see young-generation.ts.
setFlagsFromString('--semi-space-growth-factor=1');
// Without it, V8 lets its heap grow to twice what is in use or more before it collects, also when all of that is the texts of
// one answer.
setFlagsFromString('--heap-growing-percent=50');
// Stripping the types of every file costs a second and 20 MB at each start; the result is kept beside the dependencies.
// Where that folder cannot be written, nothing is kept. The rest is imported after this, so that it is covered.
nodeModule.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/signalbox'));
const { ConfigError } = await import('./errors.ts');
const { commands } = await import('./command-line.ts');
const { asCalled } = await import('./invocation.ts');

try {
  process.exitCode = await commands(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(asCalled(error.message));
  // What was opened before, such as connections to the database, would keep the process alive.
  process.exit(2);
}
