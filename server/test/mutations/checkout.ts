/** A copy of the repository in which files may be changed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PARTS = ['.', 'server', 'dashboard'];

/** The full name of a commit of the repository at `root`. */
export function commitOf(root: string, name: string): string {
  return execFileSync('git', ['rev-parse', '--verify', `${name}^{commit}`], { cwd: root, encoding: 'utf8' }).trim();
}

/** Leaves `folder` as a checkout of `commit` that shares objects and installed packages with the repository at `root`. */
export function prepareCheckout(root: string, folder: string, commit: string): void {
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });
  if (!existsSync(join(folder, '.git'))) {
    execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder]);
  }
  git('checkout', '--force', '--detach', commit);
  git('clean', '-fd');
  for (const part of PARTS) {
    const [installed, linked] = [join(root, part, 'node_modules'), join(folder, part, 'node_modules')];
    if (existsSync(installed) && !existsSync(linked)) symlinkSync(installed, linked);
  }
}

/** What the server shows beside its own pages. `support/bundle.ts` bundles the server itself where a test needs it. */
export function buildPages(folder: string): void {
  for (const script of ['build-dashboard', 'build-help']) {
    execFileSync(process.execPath, [join('scripts', `${script}.mjs`)], { cwd: folder, stdio: 'ignore' });
  }
}

export function writeInto(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

/** Keeps the checkout for this process. Answers the process that has it already, where there is one. */
export function reserve(file: string): number | undefined {
  const owner = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (owner > 0 && isRunning(owner)) return owner;
  writeFileSync(file, String(process.pid));
  process.once('exit', () => rmSync(file, { force: true }));
  return undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
