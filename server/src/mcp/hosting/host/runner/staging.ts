/**
 * How root starts a sandbox. The user of a program cannot pass folders such as /root, and gets no right to. So a
 * first bubblewrap, with the rights of root, brings each file to a place where all can reach it. There the user starts
 * the second one, which makes the sandbox as it does for any user. Source: bwrap(1), setpriv(1).
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Part of util-linux. */
const SETPRIV = '/usr/bin/setpriv';
const PLACE = '/staged';
const BINDS: ReadonlySet<string> = new Set(['--bind', '--ro-bind', '--ro-bind-try']);
/** For the change of user, by which they are lost. */
const CAPABILITIES = ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'];

/** The arguments of each bubblewrap that a sandbox needs; the first begins the program, and a second begins the first. */
export type BubblewrapArguments = readonly (readonly string[])[];

/** `args` are those of an ordinary user; `system` are the ones that bring in the programs of the system. */
export function staged(program: string, args: readonly string[], system: readonly string[]): BubblewrapArguments {
  const outer = [
    // Without rights, the first cannot signal another user's process when it dies; the end of its first process ends all.
    ...['--die-with-parent', '--unshare-pid', ...CAPABILITIES, ...system],
    ...['--dev-bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev'],
    // It would make parents as closed as what they hold; these are made before.
    ...['--dir', PLACE, '--dir', '/tmp', '--dir', dirname(program), '--ro-bind', program, program],
  ];
  const inner: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    inner.push(word);
    const source = args[at + 1] ?? '';
    if (!BINDS.has(word) || source.startsWith('/dev/')) continue;
    const place = join(PLACE, String(at));
    outer.push(word, source, place);
    inner.push(place);
    at++;
  }
  return [inner, outer];
}

/** The words before those of the program. Each of the lists may stand for one that is read from a descriptor. */
export function sandboxWords(program: string, lists: BubblewrapArguments, user: number | undefined): string[] {
  const [inner = [], outer] = lists;
  const words = [program, ...inner, '--'];
  if (!outer) return words;
  return [program, ...outer, '--', SETPRIV, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--', ...words];
}

/** What stands against it here, if anything. */
export function stagingProblem(): string | undefined {
  return existsSync(SETPRIV) ? undefined : `${SETPRIV} is not installed`;
}
