/** The selection of a remix: the capabilities that were chosen from other servers, in the stored form. */

/** The lists of capabilities, by their property in answers and in a selection. */
export const CHOSEN_LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
export type ChosenList = (typeof CHOSEN_LISTS)[number];

/** A capability of a source, and its form for clients of the remix. */
export interface Choice {
  /** The name of a tool or prompt at the source, the URI of a resource, or a URI template. */
  readonly name: string;
  /** Its name, URI or template at the remix. */
  readonly as: string;
  /** Override those of the source; null keeps the source's. */
  readonly title: string | null;
  readonly description: string | null;
}

export interface RemixSource extends Readonly<Record<ChosenList, readonly Choice[]>> {
  /** Identifies the source in ids that clients have. A source keeps its key when the selection changes. */
  readonly key: number;
  readonly serverId: string;
}

/** `connection` of a remix. */
export interface Selection {
  /** The key of the next added server: keys are not reused, because clients may have ids with them. */
  readonly nextKey: number;
  readonly sources: readonly RemixSource[];
}

/** Capabilities of two sources that clients could not distinguish. */
export interface SelectionConflict {
  readonly list: ChosenList;
  readonly name: string;
  readonly servers: readonly [string, string];
}

/** Names that two choices share; resources and templates have one namespace each. */
export function conflictsIn({ sources }: Pick<Selection, 'sources'>): SelectionConflict[] {
  return CHOSEN_LISTS.flatMap((list) => {
    const owners = new Map<string, string>();
    return sources.flatMap((source) =>
      source[list].flatMap((choice): SelectionConflict[] => {
        const owner = owners.get(choice.as);
        if (owner !== undefined) return [{ list, name: choice.as, servers: [owner, source.serverId] }];
        owners.set(choice.as, source.serverId);
        return [];
      }),
    );
  });
}
