/** The source of a hosted server's code, in its requested and its stored form. */
import type { PackageSource } from './packages.ts';

export type BuildSource =
  | { readonly kind: 'command'; readonly command: readonly string[]; readonly workingDirectory: string | null }
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'git';
      readonly repository: string;
      /** Exactly one of the two is given. */
      readonly commit?: string;
      /** A branch or tag, by its name or as `refs/heads/…`, `refs/tags/…`. */
      readonly ref?: string;
    }
  | { readonly kind: 'archive'; readonly uploadId: string }
  | PackageSource;

/** The exact source that was built. */
export interface Resolved {
  readonly repository?: string;
  /** The requested ref; `commit` is the commit to which it led. */
  readonly ref?: string;
  readonly commit?: string;
  readonly checksumSha256?: string;
  /** The version from the registry, for a package. */
  readonly version?: string;
  readonly runtime?: 'python' | 'node';
}

export const BUILD_STATES = ['queued', 'building', 'succeeded', 'failed', 'canceled'] as const;

/** The problem with the address of a repository, or undefined. */
export function repositoryProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'must be a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'file:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  return undefined;
}

/** The problem with the name of a branch or tag, or undefined. Source: git-check-ref-format(1). */
export function refProblem(text: string): string | undefined {
  const parts = text.split('/');
  const isBad = (part: string) => part === '' || part.startsWith('.') || part.endsWith('.lock') || part.endsWith('.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git refuses
  const isName = !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(text) && !parts.some(isBad);
  if (!isName || text.startsWith('-') || text === '@') return 'must be the name of a branch or tag';
  if (parts[0] !== 'refs') return undefined;
  return /^refs\/(heads|tags)\/./.test(text) ? undefined : 'must be below refs/heads/ or refs/tags/';
}

/** True for a source that refers to programs or folders of the machine itself. */
export function namesThisMachine(source: BuildSource): boolean {
  return (
    source.kind === 'command' ||
    source.kind === 'folder' ||
    (source.kind === 'git' && source.repository.toLowerCase().startsWith('file:'))
  );
}
