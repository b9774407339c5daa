/** The entries of the palette that need no request: pages, new objects, runs by a filter, and actions of the page. */
import type { Permission } from '../../api/access.ts';
import { addressed } from '../../components/list/language.ts';
import { mistakesInBeginning } from '../../components/list/spelling.ts';
import type { Place } from '../navigation.ts';
import type { PageAction } from '../page-actions.ts';
import { type FilteredList, filterTargets } from './filter-targets.ts';
import type { Target } from './target.ts';

/** Offered for a text only: forms of new objects, and a page that few people need twice. */
const further: readonly FurtherPage[] = [
  { kind: 'Page', name: 'First steps', path: '/first-hour', permission: 'flow_runs:read' },
  { kind: 'New', name: 'New automation', path: '/automations/create', permission: 'automations:write' },
  { kind: 'New', name: 'New block', path: '/blocks/catalog', permission: 'blocks:write' },
  { kind: 'New', name: 'New variable', path: '/variables?new=true', permission: 'variables:write' },
  { kind: 'New', name: 'New webhook', path: '/webhooks?new=true', permission: 'webhooks:write' },
  { kind: 'New', name: 'New work pool', path: '/work-pools/create', permission: 'work_pools:write' },
];

interface FurtherPage {
  readonly kind: 'New' | 'Page';
  readonly name: string;
  readonly path: string;
  readonly permission: Permission;
}

export interface Offered {
  /** The places that this person may open. */
  readonly places: readonly Place[];
  readonly permissions: readonly Permission[];
  /** The actions of the page. */
  readonly actions: readonly PageAction[];
  /** The objects that were opened last, the latest first. */
  readonly recents: readonly { readonly path: string; readonly name: string; readonly kind: string }[];
  /** The lists that can be narrowed by what is typed. */
  readonly lists: readonly FilteredList[];
}

/** The entries before the objects that the server finds, and those after them. */
export interface Targets {
  readonly first: readonly Target[];
  readonly last: readonly Target[];
}

/** Without a text: the actions of the page, what was opened last, and all pages. */
export function targetsOf(text: string, offered: Offered): Targets {
  const { actions, recents, pages, made } = entriesOf(offered);
  if (text === '') return { first: [...actions, ...recents, ...pages], last: [] };
  const wanted = text.toLowerCase();
  const words = wanted.split(/\s+/);
  const isNamed = ({ name }: Target) => name.toLowerCase().startsWith(wanted);
  const holdsAll = ({ name }: Target) => words.every((word) => name.toLowerCase().includes(word));
  const found = [...actions, ...pages, ...made, ...recents].filter(holdsAll);
  const named = found.filter(isNamed).map((target) => ({ ...target, isNamed: true }));
  const filters = filterTargets(text, openLists(offered));
  return {
    first: [...filters, ...named, ...found.filter((target) => !isNamed(target) && target.kind !== 'Page')],
    last: found.filter((target) => !isNamed(target) && target.kind === 'Page'),
  };
}

/** Puts the found objects between the others, each once. */
export function withHits({ first, last }: Targets, hits: readonly Target[]): readonly Target[] {
  const paths = new Set(first.map(({ path }) => path));
  return [...first, ...hits.filter(({ path }) => !paths.has(path)), ...last];
}

/** For a text that nothing has: what is spelled nearly like it, and the first list with the text in its names. */
export function nearestTargets(text: string, offered: Offered): readonly Target[] {
  const { actions, recents, pages, made } = entriesOf(offered);
  const near = [...pages, ...actions, ...made, ...recents].filter(({ name }) => isNear(text, name));
  const named = openLists(offered)
    .slice(0, 1)
    .map(({ path, title, fields }): Target => {
      const there = `${path}?${new URLSearchParams({ [fields.text]: addressed(text) })}`;
      return { key: there, kind: 'Filter', name: `${title} with ${text} in their names`, path: there };
    });
  return [...near, ...named];
}

const LONGEST_WORD = 40;

/** True if the text is spelled nearly like the beginning of the name, or of one of its words. */
function isNear(text: string, name: string): boolean {
  const wanted = text.toLowerCase();
  if (wanted.length < 3 || wanted.length > LONGEST_WORD) return false;
  const allowed = wanted.length < 5 ? 1 : 2;
  const whole = name.toLowerCase().slice(0, LONGEST_WORD);
  return [whole, ...whole.split(/\s+/)].some((one) => mistakesInBeginning(wanted, one) <= allowed);
}

function entriesOf({ places, permissions, actions, recents }: Offered) {
  return {
    actions: actions.map(
      ({ title, key, act }): Target => ({ key: `action ${title}`, kind: 'Action', name: title, act, shortcut: key }),
    ),
    recents: recents.map(({ path, name, kind }): Target => ({ key: `recent ${path}`, kind, name, path })),
    pages: places.map(
      ({ title, path, key }): Target => ({
        key: `page ${path}`,
        kind: 'Page',
        name: title,
        path,
        shortcut: `g ${key}`,
      }),
    ),
    made: further
      .filter(({ permission }) => permissions.includes(permission))
      .map(({ kind, name, path }): Target => ({ key: `${kind} ${path}`, kind, name, path })),
  };
}

function openLists({ places, lists }: Offered): readonly FilteredList[] {
  return lists.filter((list) => places.some(({ path }) => path === list.path));
}
