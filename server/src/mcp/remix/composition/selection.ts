/** What a remix offers: the capabilities that were chosen from other servers, as its row stores them. */

/** The lists of capabilities, by their property in answers and in a selection. */
export const CHOSEN_LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
export type ChosenList = (typeof CHOSEN_LISTS)[number];

/** A capability of a source, and how clients of the remix see it. */
export interface Choice {
  /** At the source: the name of a tool or prompt, the URI of a resource, or a URI template. */
  readonly name: string;
  /** The same at the remix. */
  readonly as: string;
  /** In place of those that the source gives; null: as the source gives them. */
  readonly title: string | null;
  readonly description: string | null;
}

export interface RemixSource extends Readonly<Record<ChosenList, readonly Choice[]>> {
  /** Names the source in ids that clients hold. A source keeps its key when the selection changes. */
  readonly key: number;
  readonly serverId: string;
}

/** `connection` of a remix. */
export interface Selection {
  /** For the next server that is added: keys are not used again, because clients may hold ids with them. */
  readonly nextKey: number;
  readonly sources: readonly RemixSource[];
}

/** The capabilities of two sources that clients could not tell apart. */
export interface SelectionConflict {
  readonly list: ChosenList;
  readonly name: string;
  readonly servers: readonly [string, string];
}

/** Names that two choices share; resources and templates have one space of names each. */
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
