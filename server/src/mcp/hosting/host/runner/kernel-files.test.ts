import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { SandboxRun } from '../../../../../test/support/run-in-sandbox.ts';
import { findBubblewrap, programOnPath } from './bubblewrap.ts';

const SCRIPT = join(import.meta.dirname, '../../../../../test/support/run-in-sandbox.ts');
/** Known to every Linux as the user who owns nothing. */
const NOBODY = 65_534;
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

const isRoot = process.getuid?.() === 0;
const bubblewrap = findBubblewrap();

/** Runs a command to its end; undefined when it failed. */
function outputOf(command: readonly string[]): string | undefined {
  const [program = '', ...rest] = command;
  const { status, stdout } = spawnSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return status === 0 ? stdout : undefined;
}

const users = {
  [isRoot ? 'root' : 'an ordinary user']: { begin: [] as string[], skip: typeof bubblewrap === 'string' && bubblewrap },
  ...(isRoot && { 'an ordinary user': { begin: asNobody, skip: problemAsNobody() } }),
};

function problemAsNobody(): string | false {
  if (typeof bubblewrap === 'string') return bubblewrap;
  if (programOnPath('setpriv') === undefined) return 'needs setpriv';
  const readable = outputOf([...asNobody, 'sh', '-c', `test -x ${process.execPath} && test -r ${SCRIPT} && echo yes`]);
  return readable === undefined && 'other users cannot read this clone';
}

/** Opens, sets the mode that a file has, and changes nothing. Links are followed to files and not to folders, which are below the tops themselves. */
const WALK = `
  const fs = require('node:fs');
  const { O_WRONLY, O_RDWR, O_NONBLOCK, O_NOCTTY, O_CREAT, O_EXCL } = fs.constants;
  const opened = new Set();
  const changed = new Set();
  let refused = 0;
  const tried = (done, path, attempt) => { try { attempt(); done.add(path); } catch { refused++; } };
  const open = (path, flags) => fs.closeSync(fs.openSync(path, flags | O_NONBLOCK | O_NOCTTY));
  const isFolder = (path) => { try { return fs.statSync(path).isDirectory(); } catch { return false; } };
  const walk = (folder) => {
    tried(opened, folder + '/*', () => open(folder + '/signalbox-made', O_WRONLY | O_CREAT | O_EXCL));
    let entries = [];
    try { entries = fs.readdirSync(folder, { withFileTypes: true }); } catch {}
    for (const entry of entries) {
      const path = folder + '/' + entry.name;
      if (entry.isDirectory()) walk(path);
      else if (!isFolder(path)) {
        tried(opened, path, () => open(path, O_WRONLY));
        tried(opened, path, () => open(path, O_RDWR));
        tried(changed, path, () => fs.chmodSync(path, fs.statSync(path).mode));
      }
    }
  };
  for (const top of ['/proc', '/sys', '/dev']) walk(top);
  console.log(JSON.stringify({ opened: [...opened], changed: [...changed], refused }));`;

const HOSTILE = `
  const fs = require('node:fs');
  const { spawnSync } = require('node:child_process');
  const outcome = (work) => { try { return work() ?? 'done'; } catch (error) { return error.code; } };
  const run = (...words) => spawnSync(words[0], words.slice(1)).status === 0 ? 'done' : 'failed';
  console.log(JSON.stringify({
    'environment of the server': outcome(() => fs.readFileSync('/proc/' + process.env.SERVER_PROCESS + '/environ', 'utf8')),
    'folders of the first bubblewrap': outcome(() => fs.readdirSync('/staged')),
    'a file of the machine under a name of its own': outcome(() => fs.linkSync('/etc/passwd', 'linked')),
    'a file of root': outcome(() => { fs.writeFileSync('own', ''); fs.chownSync('own', 0, 0); }),
    'a device': run('mknod', 'device', 'c', '1', '1'),
    'a user namespace': run('unshare', '-Ur', 'true'),
    'a program with another user': outcome(() => {
      fs.copyFileSync('/bin/sh', 'sh');
      fs.chmodSync('sh', 0o6755);
      return spawnSync('./sh', ['-p', '-c', 'id -u']).stdout.toString().trim();
    }),
    'its folder replaced by a link': outcome(() => fs.rmdirSync(process.env.HOME)),
  }));`;

/** Terminals and shared memory of its own, and the files that it has open anyway. */
const ITS_OWN = [
  /^\/dev\/(pts\/)?ptmx$/,
  /^\/dev\/shm\/./,
  /^\/dev\/(stdin|stdout|stderr|fd\/\d+)$/,
  /^\/proc\/(self|thread-self|\d+)(\/task\/\d+)?\/fd\/\d+$/,
];
/** What is written there has no effect on others. */
const HARMLESS = /^\/dev\/(null|zero|full|random|urandom|tty)$/;

for (const [user, { begin, skip }] of Object.entries(users)) {
  describe(`a program in the sandbox of ${user}`, { skip }, () => {
    const run = (code: string) => JSON.parse(outputOf([...begin, process.execPath, SCRIPT, code]) ?? '') as SandboxRun;

    test('opens nothing below /proc, /sys and /dev for writing, except what is its own', () => {
      const { printed } = run(WALK);
      const { opened, changed, refused } = JSON.parse(printed) as Record<'opened' | 'changed', string[]> & {
        refused: number;
      };
      const isForeign = (path: string) => !ITS_OWN.some((own) => own.test(path));
      assert.ok(refused > 1000, `${refused} attempts`);
      assert.ok(opened.includes('/dev/null') && opened.includes('/dev/shm/*'));
      assert.deepEqual(
        opened.filter((path) => isForeign(path) && !HARMLESS.test(path)),
        [],
      );
      assert.deepEqual(changed.filter(isForeign), [], 'the mode was changed');
    });

    test('gains nothing by what it leaves, starts or looks at', () => {
      const { printed } = run(HOSTILE);
      assert.deepEqual(JSON.parse(printed), {
        'environment of the server': 'ENOENT',
        'folders of the first bubblewrap': 'ENOENT',
        'a file of the machine under a name of its own': 'EXDEV',
        'a file of root': 'EINVAL',
        'a device': 'failed',
        'a user namespace': 'failed',
        'a program with another user': '1000',
        'its folder replaced by a link': 'EBUSY',
      });
    });

    test('is no process of root, and of no group of root', () => {
      const { printed, ids } = run(`console.log(process.getuid(), process.getgid(), process.getgroups().join())`);
      assert.equal(printed, '1000 1000 1000\n');
      assert.ok(ids.length > 0);
      assert.ok(!ids.includes(0), ids.join());
    });
  });
}
