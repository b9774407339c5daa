/**
 * `npm start` of a script that a guide runs: starts the server in the background, with the settings of the environment, and
 * returns once it is ready. A line of the file `STARTED` names its process, so that it can be ended. A server that the
 * script gives no home gets a new one beside the database that the commands of the script work on.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from '../support/bundle.ts';
import { freePort } from '../support/free-port.ts';

const START_SECONDS = 120;
const { STARTED = '', GUIDE_HOME = '', ...given } = process.env;
const settings: NodeJS.ProcessEnv = { ...given };
if (settings['SIGNALBOX_HOME'] === GUIDE_HOME)
  settings['SIGNALBOX_HOME'] = mkdtempSync(join(GUIDE_HOME, '..', 'home-'));
const port = settings['SIGNALBOX_PORT'] ?? String(await freePort());
settings['SIGNALBOX_PORT'] = port;
const log = `${settings['SIGNALBOX_HOME']}.log`;
const output = openSync(log, 'a');
const server = spawn(process.execPath, [program, 'server', 'start'], {
  env: settings,
  stdio: ['ignore', output, output],
  detached: true,
});
appendFileSync(STARTED, `${server.pid}\n`);
let code: number | null | undefined;
server.once('exit', (ended) => {
  code = ended;
});
for (const end = Date.now() + START_SECONDS * 1000; ; await delay(100)) {
  const answer = await fetch(`http://127.0.0.1:${port}${settings['SIGNALBOX_BASE_PATH'] ?? ''}/api/ready`).catch(
    () => undefined,
  );
  if (answer?.ok) break;
  if (code !== undefined || Date.now() > end) {
    console.error(readFileSync(log, 'utf8'));
    process.exit(1);
  }
}
console.log('ready');
server.unref();
process.exit(0);
