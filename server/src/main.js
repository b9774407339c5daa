// The entry point, and the only file in JavaScript: the types of a file that is loaded before the compile cache is on
// would be stripped at every start, by a stripper of 10 MB that stays in memory. The import of `node:module` is a
// default import: a named import that an old Node lacks would fail before the version check below.
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

// Loading modules makes garbage once, for which V8 would permanently enlarge its young generation by some 20 MB. It may
// grow with the work that comes later; see young-generation.ts.
setFlagsFromString('--semi-space-growth-factor=1');
// Without this flag, V8 lets its heap grow to twice the live size or more before it collects, even when most of that is
// garbage from one answer.
setFlagsFromString('--heap-growing-percent=50');
// Stripping the types of every file costs a second and 20 MB at each start, so the result is cached beside the
// dependencies. If that folder is not writable, nothing is cached. All other modules are imported after this line, so
// that the cache covers them.
nodeModule.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/signalbox'));
const { ConfigError } = await import('./errors.ts');
const { commands } = await import('./command-line.ts');
const { asCalled } = await import('./invocation.ts');

try {
  process.exitCode = await commands(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(asCalled(error.message));
  // Open handles, such as connections to the database, would keep the process alive.
  process.exit(2);
}
