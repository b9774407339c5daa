/** The edited choices of a remix. */
import type { components } from '../../api/platform.gen.ts';
import type { Capabilities, Server } from '../queries.ts';

type Schemas = components['schemas'];
export type RemixDraft = Schemas['RemixWrite'];
export type RemixPreview = Schemas['RemixPreview'];
export type RemixList = RemixPreview['capabilities'][number]['list'];
export type Choice = Schemas['RemixChoiceWrite'];
type Source = RemixDraft['sources'][number];

/** The lists in the order of the page, each with its title and the key of an item's name. */
export const remixLists: readonly { readonly list: RemixList; readonly title: string; readonly nameKey: string }[] = [
  { list: 'tools', title: 'Tools', nameKey: 'name' },
  { list: 'resources', title: 'Resources', nameKey: 'uri' },
  { list: 'resourceTemplates', title: 'Resource templates', nameKey: 'uriTemplate' },
  { list: 'prompts', title: 'Prompts', nameKey: 'name' },
];

type StoredChoice = Schemas['RemixChoice'];

export function draftOf({ remix }: Pick<Server, 'remix'>): RemixDraft {
  const written = (choices: readonly StoredChoice[]): Choice[] =>
    choices.map(({ name, as, title = null, description = null }) => ({
      name,
      title,
      description,
      as: as === name ? null : as,
    }));
  const sources = (remix?.sources ?? []).map(({ server, tools, prompts, resources, resourceTemplates }) => ({
    server,
    tools: written(tools),
    prompts: written(prompts),
    resources: written(resources),
    resourceTemplates: written(resourceTemplates),
  }));
  return { sources };
}

export function withSource({ sources }: RemixDraft, server: string): RemixDraft {
  return { sources: [...sources, { server, tools: [], prompts: [], resources: [], resourceTemplates: [] }] };
}

export function withoutSource({ sources }: RemixDraft, server: string): RemixDraft {
  return { sources: sources.filter((source) => source.server !== server) };
}

/** The draft after changing the choices in one list of one source. */
export function withChoices(draft: RemixDraft, server: string, list: RemixList, choices: Source['tools']): RemixDraft {
  return {
    sources: draft.sources.map((source) => (source.server === server ? { ...source, [list]: choices } : source)),
  };
}

/** The draft after also choosing a resource of one source. */
export function withResource(draft: RemixDraft, server: string, uri: string): RemixDraft {
  const chosen = draft.sources.find((source) => source.server === server)?.resources ?? [];
  if (chosen.some(({ name }) => name === uri)) return draft;
  return withChoices(draft, server, 'resources', [...chosen, { name: uri, title: null, description: null, as: null }]);
}

/**
 * The capabilities of a server and the choices among them, without duplicates: a chosen name that the server no longer
 * offers stays.
 */
export function offersOf(capabilities: Capabilities | null, list: RemixList, choices: readonly Choice[]) {
  const nameKey = remixLists.find((one) => one.list === list)?.nameKey ?? 'name';
  const items = (capabilities?.[list] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const offered = items.map((item) => ({
    name: String(item[nameKey]),
    description: typeof item.description === 'string' ? item.description : '',
    isOffered: true,
  }));
  const names = new Set(offered.map(({ name }) => name));
  const gone = choices.filter(({ name }) => !names.has(name));
  return [...offered, ...gone.map(({ name }) => ({ name, description: '', isOffered: false }))];
}
