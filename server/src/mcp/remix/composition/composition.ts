/** A compiled selection: finds the source of a capability, and converts the items of a source's list. */
import { matchesWithin, WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { MatchedText } from '../../../fairness/foreign-work/glob.ts';
import type { JsonObject } from '../../protocol/message.ts';
import { type CapabilityKind, LISTS } from '../../protocol/methods.ts';
import type { NamedCapability } from '../../protocol/named-capability.ts';
import { type Referring, withReferences } from './references.ts';
import { CHOSEN_LISTS, type Choice, type ChosenList, type RemixSource, type Selection } from './selection.ts';
import { UriTemplate } from './uri-template.ts';

/** The source of a capability, and its name there. */
interface Route {
  readonly source: RemixSource;
  readonly name: string;
}

/** A source, with its choices by their names at the source. */
interface Chosen {
  readonly source: RemixSource;
  readonly lists: Readonly<Record<ChosenList, ReadonlyMap<string, readonly Choice[]>>>;
}

/** The list whose items have exact names, by kind of capability. */
const EXACT: Readonly<Record<CapabilityKind, ChosenList>> = { tool: 'tools', prompt: 'prompts', resource: 'resources' };

/** The key that identifies items of a list. */
const KEYS: Readonly<Record<ChosenList, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
};

export class Composition {
  readonly sources: readonly RemixSource[];
  readonly #byKey: ReadonlyMap<number, Chosen>;
  readonly #routes: Readonly<Record<ChosenList, Map<string, Route>>> = {
    tools: new Map(),
    prompts: new Map(),
    resources: new Map(),
    resourceTemplates: new Map(),
  };
  readonly #templates: readonly { readonly template: UriTemplate; readonly source: RemixSource }[];

  constructor({ sources }: Pick<Selection, 'sources'>) {
    this.sources = sources;
    this.#byKey = new Map(sources.map((source) => [source.key, { source, lists: listsOf(source) }]));
    for (const source of sources) {
      for (const list of CHOSEN_LISTS) {
        for (const { name, as } of source[list]) this.#routes[list].set(as, { source, name });
      }
    }
    this.#templates = sources.flatMap((source) =>
      source.resourceTemplates.map(({ name }) => ({ template: new UriTemplate(name), source })),
    );
  }

  sourceOf(key: number): RemixSource | undefined {
    return this.#byKey.get(key)?.source;
  }

  /** Sources with chosen items in this list. */
  sourcesIn(list: ChosenList): readonly RemixSource[] {
    return this.sources.filter((source) => source[list].length > 0);
  }

  has(list: ChosenList): boolean {
    return this.#routes[list].size > 0;
  }

  /**
   * Undefined for a name that the remix does not offer. A URI without a resource belongs to the first template that it
   * fits; to none when `work` is spent first.
   */
  routeOf({ kind, name }: NamedCapability, work: WorkAllowance): Route | undefined {
    const exact = this.#routes[EXACT[kind]].get(name);
    if (exact || kind !== 'resource') return exact;
    const template = this.#routes.resourceTemplates.get(name);
    if (template) return template;
    const uri = new MatchedText(name, work);
    let route: Route | undefined;
    matchesWithin(() =>
      this.#templates.some(({ template, source }) => {
        if (!template.matches(uri)) return false;
        route = { source, name };
        return true;
      }),
    );
    return route;
  }

  /** The items of the remix that come from an item of a source; none when it was not chosen. */
  itemsOf(key: number, list: ChosenList, given: Readonly<JsonObject>): JsonObject[] {
    const name = given[KEYS[list]];
    const choices = typeof name === 'string' ? this.#byKey.get(key)?.lists[list].get(name) : undefined;
    if (!choices) return [];
    const { item } = this.referringItem(key, given);
    return choices.map(({ as, title, description }) => ({
      ...item,
      [KEYS[list]]: as,
      ...(title === null ? {} : { title }),
      ...(description === null ? {} : { description }),
    }));
  }

  /** An item of a source, with the URIs of its resources at the remix. */
  referringItem(key: number, item: Readonly<JsonObject>): Referring {
    const work = new WorkAllowance();
    return withReferences(item, (uri) => this.uriOf(key, uri, work));
  }

  /** The name of an item of the remix. */
  nameOf(list: ChosenList, item: Readonly<JsonObject>): unknown {
    return item[KEYS[list]];
  }

  /** The URI of a source's resource at the remix; undefined when the remix does not offer it, or `work` is spent. */
  uriOf(key: number, uri: string, work: WorkAllowance): string | undefined {
    const chosen = this.#byKey.get(key);
    const [exact] = chosen?.lists.resources.get(uri) ?? [];
    if (exact) return exact.as;
    const text = new MatchedText(uri, work);
    const fits = matchesWithin(() =>
      this.#templates.some(({ source, template }) => source.key === key && template.matches(text)),
    );
    return fits ? uri : undefined;
  }

  /** True when a resource of the source has another URI at the remix. */
  renamesResources(key: number): boolean {
    return this.sourceOf(key)?.resources.some(({ name, as }) => name !== as) ?? false;
  }
}

function listsOf(source: RemixSource): Chosen['lists'] {
  const byName = (list: ChosenList) => Map.groupBy(source[list], ({ name }) => name);
  return {
    tools: byName('tools'),
    prompts: byName('prompts'),
    resources: byName('resources'),
    resourceTemplates: byName('resourceTemplates'),
  };
}

/** The list that a method returns; undefined for other methods. */
export function chosenListOf(method: string): ChosenList | undefined {
  return LISTS[method]?.property as ChosenList | undefined;
}
