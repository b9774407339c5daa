/** Where the code of a hosted server comes from, as it was asked for and as it is stored. */
export type BuildSource =
  | { readonly kind: 'command'; readonly command: readonly string[]; readonly workingDirectory: string | null }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'git'; readonly repository: string; readonly commit: string }
  | { readonly kind: 'archive'; readonly uploadId: string };

/** What exactly was built. */
export interface Resolved {
  readonly repository?: string;
  readonly commit?: string;
  readonly checksumSha256?: string;
  readonly runtime?: 'python' | 'node';
}

export const BUILD_STATES = ['queued', 'building', 'succeeded', 'failed', 'canceled'] as const;

/** What is wrong with the address of a repository, or undefined. */
export function repositoryProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'must be a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'file:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must hold no credentials';
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment';
  return undefined;
}

/** True for what names programs and folders of the machine itself. */
export function namesThisMachine(source: BuildSource): boolean {
  return (
    source.kind === 'command' ||
    source.kind === 'folder' ||
    (source.kind === 'git' && source.repository.toLowerCase().startsWith('file:'))
  );
}
