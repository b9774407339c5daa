import { ConfigError } from './config.ts';
import { commands } from './command-line.ts';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`Signalbox needs Node 24 or newer; this is ${process.versions.node}. In a clone, "npm start" brings its own.`);
  process.exit(1);
}

try {
  process.exitCode = await commands(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
