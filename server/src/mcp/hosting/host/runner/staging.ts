/**
 * Starts a sandbox as root. The user of a program cannot access folders such as /root, and must not. So a first
 * bubblewrap, with the rights of root, mounts each file in an accessible place. There the user starts the second one,
 * which makes the sandbox as for any user. Source: bwrap(1), setpriv(1).
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Part of util-linux. */
const SETPRIV = '/usr/bin/setpriv';
const PLACE = '/staged';
const BINDS: ReadonlySet<string> = new Set(['--bind', '--ro-bind', '--ro-bind-try']);
/** Capabilities for the change of user, which drops them. */
const CAPABILITIES = ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'];

/**
 * The arguments of each bubblewrap that a sandbox needs; the first starts the program, and a second starts the first.
 */
export type BubblewrapArguments = readonly (readonly string[])[];

/** `args` are those of an ordinary user; `system` are the ones that mount the programs of the system. */
export function staged(program: string, args: readonly string[], system: readonly string[]): BubblewrapArguments {
  const outer = [
    // Without rights, the first cannot signal another user's process when it dies, but the end of its first process
    // ends all others.
    ...['--die-with-parent', '--unshare-pid', ...CAPABILITIES, ...system],
    ...['--dev-bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev'],
    // It would make parent folders as inaccessible as their content, so these are made before.
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

/** The words before those of the program. Each list may be replaced by one that is read from a descriptor. */
export function sandboxWords(program: string, lists: BubblewrapArguments, user: number | undefined): string[] {
  const [inner = [], outer] = lists;
  const words = [program, ...inner, '--'];
  if (!outer) return words;
  return [program, ...outer, '--', SETPRIV, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--', ...words];
}

/** The reason why staging does not work here, if any. */
export function stagingProblem(): string | undefined {
  return existsSync(SETPRIV) ? undefined : `${SETPRIV} is not installed`;
}
