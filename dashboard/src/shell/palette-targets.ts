/** The entries of the palette that need no request: pages, new objects, runs by a filter, and actions of the page. */
import type { Permission } from '../api/access.ts';
import { stateKinds, titleOf } from '../design/states.ts';
import type { Place } from './navigation.ts';
import type { PageAction } from './page-actions.ts';

/** One line of the palette. It opens `path`, or runs an action. */
export interface Target {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly path?: string;
  readonly act?: () => void;
}

const creations: readonly { readonly name: string; readonly path: string; readonly permission: Permission }[] = [
  { name: 'New automation', path: '/automations/create', permission: 'automations:write' },
  { name: 'New block', path: '/blocks/catalog', permission: 'blocks:write' },
  { name: 'New variable', path: '/variables?new=true', permission: 'variables:write' },
  { name: 'New webhook', path: '/webhooks?new=true', permission: 'webhooks:write' },
  { name: 'New work pool', path: '/work-pools/create', permission: 'work_pools:write' },
];

/** A typed filter of the list of runs. */
const FILTER = /^(state|tag|name):\s*(\S.*)$/i;

interface Offered {
  /** The places that this person may open. */
  readonly places: readonly Place[];
  readonly permissions: readonly Permission[];
  /** The actions of the page. */
  readonly actions: readonly PageAction[];
}

/** Names that begin with the text come first, then the found objects, then other matches. */
export function targetsOf(
  text: string,
  { places, permissions, actions }: Offered,
): { readonly first: readonly Target[]; readonly last: readonly Target[] } {
  const wanted = text.toLowerCase();
  const words = wanted.split(/\s+/);
  const holdsAll = ({ name }: Target) => words.every((word) => name.toLowerCase().includes(word));
  const pages = places
    .map(({ title, path }): Target => ({ key: `page ${path}`, kind: 'Page', name: title, path }))
    .filter(({ name }) => name.toLowerCase().includes(wanted));
  const isNamed = ({ name }: Target) => name.toLowerCase().startsWith(wanted);
  const acting = actions.map(
    ({ title, act }): Target => ({ key: `action ${title}`, kind: 'Action', name: title, act }),
  );
  const made = creations
    .filter(({ permission }) => permissions.includes(permission))
    .map(({ name, path }): Target => ({ key: `new ${path}`, kind: 'New', name, path }));
  // An action on an object is only offered after its name was typed.
  const typed = wanted === '' ? [] : [...acting, ...made].filter(holdsAll);
  return {
    first: [...runsWith(text), ...pages.filter(isNamed), ...typed],
    last: pages.filter((target) => !isNamed(target)),
  };
}

/** `state:failed`, `tag:nightly` and `name:report` open the list of runs with that filter. */
function runsWith(text: string): Target[] {
  const [, field = '', value = ''] = FILTER.exec(text) ?? [];
  const target = (key: string, wanted: string, name: string): Target => {
    const path = `/runs?${new URLSearchParams({ [key]: wanted })}`;
    return { key: path, kind: 'Filter', name, path };
  };
  switch (field.toLowerCase()) {
    case 'state':
      return stateKinds
        .filter((kind) => titleOf(kind).toLowerCase().startsWith(value.toLowerCase()))
        .map((kind) => target('state', kind, `Runs that are ${titleOf(kind)}`));
    case 'tag':
      return [target('tag', value, `Runs with the tag ${value}`)];
    case 'name':
      return [target('name', value, `Runs with ${value} in their names`)];
    default:
      return [];
  }
}
