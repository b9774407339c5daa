/** The objects that a person has opened last, for the palette. The browser keeps them. */
import { accessQuery, useAccess } from '../api/access.ts';
import { queries } from '../api/query-client.ts';
import { pagesPath, workspace } from '../api/workspace.ts';
import { watchPageTitle } from '../components/page-title.ts';
import { kindOfPage } from './object-pages.ts';

interface Recent {
  /** The path below the address of the workspace. */
  readonly path: string;
  readonly name: string;
}

interface Stored extends Recent {
  /** The workspace and the person, so that nobody sees what others have opened in this browser. */
  readonly owner: string;
}

const KEY = 'signalbox.recents';
const MOST_SHOWN = 8;
const MOST_STORED = 80;
const LONGEST_NAME = 200;

/** Keeps the pages of objects that are opened from now on. */
export function rememberPages(): void {
  watchPageTitle((name) => {
    const path = pathOfPage();
    if (kindOfPage(path) === undefined) return;
    void queries.ensureQueryData(accessQuery).then(
      ({ user }) => remember({ path, name: name.slice(0, LONGEST_NAME), owner: ownerOf(user?.id) }),
      () => {},
    );
  });
}

function remember(opened: Stored): void {
  store([opened, ...stored().filter((one) => !isSame(one, opened))].slice(0, MOST_STORED));
}

/** Removes the open page, whose object no longer exists. */
export function forgetPage(): void {
  const path = pathOfPage();
  store(stored().filter((one) => one.path !== path));
}

/** The objects that this person has opened last in this workspace, without the open one. */
export function useRecents(): readonly (Recent & { readonly kind: string })[] {
  const access = useAccess();
  if (!access) return [];
  const owner = ownerOf(access.user?.id);
  const here = pathOfPage();
  return stored()
    .filter((one) => one.owner === owner && one.path !== here)
    .flatMap(({ path, name }) => {
      const kind = kindOfPage(path);
      return kind === undefined ? [] : [{ path, name, kind }];
    })
    .slice(0, MOST_SHOWN);
}

function ownerOf(person: string | undefined): string {
  return `${workspace?.workspaceId ?? ''} ${person ?? ''}`;
}

function pathOfPage(): string {
  return location.pathname.slice(pagesPath.length);
}

function isSame(one: Stored, other: Stored): boolean {
  return one.owner === other.owner && one.path === other.path;
}

function stored(): readonly Stored[] {
  try {
    const entries: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(entries) ? entries.filter(isStored) : [];
  } catch {
    return [];
  }
}

function isStored(entry: unknown): entry is Stored {
  const { path, name, owner } = (entry ?? {}) as Partial<Stored>;
  return [path, name, owner].every((value) => typeof value === 'string');
}

function store(entries: readonly Stored[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // A browser that stores nothing remembers nothing.
  }
}
