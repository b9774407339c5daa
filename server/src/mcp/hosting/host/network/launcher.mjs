/**
 * Runs in the sandbox, before the program: opens the way out of a network of its own and the way in, waits until this server
 * has them, and begins the program. Only then does anything run that is not ours. A program over stdin and stdout takes
 * the launcher's place; for one that listens the launcher stays and passes connections on.
 *
 * Its argument says as JSON which ways it opens (`Ways`). It stands alone, because the sandbox holds no other file of this
 * server, and is JavaScript, because it starts in half the time without types: 35 ms of processor time, and not 75.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

/** @type {import('./protocol.ts').Ways} */
const { proxyPort, entrance } = JSON.parse(process.argv[2] ?? '{}');

const proxy = proxyPort === undefined ? undefined : await listening(createServer(), proxyPort, '127.0.0.1');
if (entrance) {
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const outgoing = connect({ port: entrance.port, host: '127.0.0.1', allowHalfOpen: true });
    passOn(incoming, outgoing);
    passOn(outgoing, incoming);
  });
  await listening(server, entrance.path);
}

/** @type {import('./protocol.ts').Start} */
const start = await new Promise((resolve, reject) => {
  process.once('message', resolve);
  process.once('disconnect', reject);
  process.send?.('ready', proxy);
});
process.removeAllListeners('disconnect');
process.disconnect?.();
proxy?.close();
begin(start);

/** @param {import('./protocol.ts').Start} start */
function begin({ command: [name = '', ...rest], directory, environment }) {
  const mark = Object.entries(process.env).filter(([variable]) => variable === 'SIGNALBOX_PROCESS');
  const variables = { ...environment, ...Object.fromEntries(mark) };
  try {
    process.chdir(directory);
  } catch (error) {
    fail(`The program's user cannot enter its folder: ${error instanceof Error ? error.message : error}`);
  }
  if (!entrance) {
    process.execve?.(found(name, variables.PATH), [name, ...rest], variables);
    return;
  }
  const program = spawn(name, rest, { env: variables, stdio: 'inherit' });
  // The program is asked to end, and the launcher ends with it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  program.once('error', ({ message }) => fail(message));
  program.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}

/** @param {import('node:net').Server} server @param {[number, string] | [string]} place */
function listening(server, ...place) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(...place, () => resolve(server));
  });
}

/** Each side may end before the other; what fails ends both. @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
function passOn(from, to) {
  from.setNoDelay(true);
  from.on('error', () => to.destroy());
  from.pipe(to);
}

/** @param {string} name @param {string | undefined} folders */
function found(name, folders = '') {
  if (name.includes('/')) return name;
  const paths = folders.split(':').map((folder) => `${folder}/${name}`);
  return paths.find((path) => path.startsWith('/') && existsSync(path)) ?? fail(`${name} is not found`);
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(127);
}
