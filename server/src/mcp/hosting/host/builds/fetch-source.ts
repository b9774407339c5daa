/** Copies the source of a build into a folder. */
import { lookup } from 'node:dns/promises';
import { lstat, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAddress, portOf, type TargetPolicy } from '../../../../outbound/guard.ts';
import { OutboundError } from '../../../../outbound/outbound-error.ts';
import { BuildFailed } from '../../boundary/build-failed.ts';
import type { BuildSource, Resolved } from '../../launch/source.ts';
import { copyTree } from '../machine/copy-tree.ts';
import { removeAll } from '../machine/removal.ts';
import { writePackage } from './packages.ts';
import { SourceBudget } from './source-budget.ts';
import type { Steps } from './steps.ts';
import { unpack } from './unpack.ts';

interface FetchOptions {
  readonly steps: Steps;
  /** The folder exists and is empty. */
  readonly folder: string;
  readonly targets: TargetPolicy;
  /** Ends the build. */
  readonly signal: AbortSignal;
  uploadPath(id: string): string;
}

/** Throws BuildFailed. */
export async function fetchSource(source: BuildSource, options: FetchOptions): Promise<Resolved> {
  switch (source.kind) {
    case 'command':
      return {};
    case 'folder':
      return copyFolder(source.path, options);
    case 'git':
      return fetchRepository(source, options);
    case 'archive': {
      const path = options.uploadPath(source.uploadId);
      const { size } = await stat(path).catch(() => {
        throw new BuildFailed('The uploaded archive is not on this machine.');
      });
      await unpack(path, size, options.folder, new SourceBudget('The archive', options.signal));
      return {};
    }
    case 'package':
      await writePackage(source, options.folder);
      return {};
  }
}

/** Files that the build recreates or does not need. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__']);

async function copyFolder(path: string, { folder, steps, signal }: FetchOptions): Promise<Resolved> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts?.isDirectory()) throw new BuildFailed(`${path} is not a folder on this machine.`);
  steps.say(`Copying ${path}`);
  const passedOver = await copyTree(path, folder, new SourceBudget('The folder', signal), LEFT_OUT);
  if (passedOver > 0) steps.say(`Skipped ${passedOver} pipes, sockets and devices.`);
  return {};
}

/** Git reads no configuration of this machine, prompts for nothing, follows no redirect and runs no hook. */
const GIT_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_LFS_SKIP_SMUDGE: '1',
};

/** Git refuses repositories of other users, but an operator has named this one. */
const LOCAL_UPLOAD_PACK = `--upload-pack=git -c 'safe.directory=*' upload-pack`;

type GitSource = Extract<BuildSource, { kind: 'git' }>;

async function fetchRepository(source: GitSource, { steps, folder, targets, signal }: FetchOptions): Promise<Resolved> {
  const { repository, ref } = source;
  const url = new URL(repository);
  const options = [
    '-c',
    'http.followRedirects=false',
    '-c',
    'core.hooksPath=/dev/null',
    ...(await pinned(url, targets)),
  ];
  const environment = { ...GIT_ENVIRONMENT, GIT_ALLOW_PROTOCOL: url.protocol.slice(0, -1) };
  const isLocal = url.protocol === 'file:';
  const machine = isLocal ? [fileURLToPath(url)] : [];
  const far = isLocal ? [LOCAL_UPLOAD_PACK] : [];
  const git = (...rest: string[]) =>
    steps.run(['git', ...options, ...rest], folder, { environment, machine, said: `$ git ${rest.join(' ')}` });
  const ask = (...rest: string[]) => steps.ask(['git', ...options, ...rest], folder, { environment, machine });

  await git('init', '--quiet', '--template=');
  const wanted = ref === undefined ? ['HEAD'] : namesOf(ref);
  const listed = await ask('ls-remote', '--quiet', ...far, url.href, ...wanted);
  if (listed.code !== 0) throw new BuildFailed(`${repository} is not reachable, not a Git repository, or not public.`);
  const fetched = ref === undefined ? (source.commit ?? '') : chosen(ref, listed.output);
  try {
    await git('fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', ...far, url.href, fetched);
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    throw new BuildFailed(
      ref === undefined
        ? `The repository has no commit ${fetched}, or does not serve it.`
        : `${fetched} could not be fetched.`,
    );
  }
  const { output } = await ask('rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}');
  const commit = output.trim();
  if (commit === '') throw new BuildFailed(`${ref ?? fetched} does not name a commit.`);
  if (ref !== undefined) steps.say(`${ref} is the commit ${commit}.`);
  const tree = new TreeCounter(new SourceBudget('The commit', signal));
  await steps.read(['git', ...options, 'ls-tree', '-r', '-t', '-z', '--long', commit], folder, {
    environment,
    machine,
    take: (piece) => tree.take(piece),
  });
  await git('-c', 'core.symlinks=false', 'checkout', '--quiet', '--detach', commit);
  await removeAll(join(folder, '.git'));
  return { repository, commit, ...(ref === undefined ? {} : { ref }) };
}

/** Counts the output of `git ls-tree -r -t -z --long`: `mode type id size<tab>path`, each with a NUL at its end. */
class TreeCounter {
  readonly #budget: SourceBudget;
  #rest = '';

  constructor(budget: SourceBudget) {
    this.#budget = budget;
  }

  take(piece: Buffer): void {
    const entries = `${this.#rest}${piece.toString('latin1')}`.split('\0');
    this.#rest = entries.pop() ?? '';
    for (const entry of entries) {
      const [facts = '', path = ''] = entry.split('\t');
      this.#budget.takeEntry(path.split('/').length - 1);
      const size = Number(facts.split(/ +/)[3]);
      if (size > 0) this.#budget.takeBytes(size);
    }
  }
}

function namesOf(ref: string): string[] {
  return ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}

/** The full name of a branch or tag. Throws BuildFailed when neither exists, and when both do. */
function chosen(ref: string, listed: string): string {
  const there = new Set(listed.split('\n').map((line) => line.split('\t')[1]));
  const [name, ...others] = namesOf(ref).filter((full) => there.has(full));
  if (name === undefined) throw new BuildFailed(`The repository has no branch and no tag "${ref}".`);
  if (others.length === 0) return name;
  throw new BuildFailed(`"${ref}" is both a branch and a tag. Use refs/heads/${ref} or refs/tags/${ref}.`);
}

/** Checks the addresses of the name, and makes git connect to the checked one. */
async function pinned(url: URL, targets: TargetPolicy): Promise<string[]> {
  if (url.protocol === 'file:') return [];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
    for (const address of addresses) checkAddress(address, portOf(url), targets);
    const [first] = addresses;
    if (isIP(host) || first === undefined) return [];
    const address = first.includes(':') ? `[${first}]` : first;
    return ['-c', `http.curloptResolve=${host}:${url.port || '443'}:${address}`];
  } catch (error) {
    if (error instanceof OutboundError) throw new BuildFailed(error.message);
    throw new BuildFailed('The name of the repository cannot be resolved.');
  }
}
