/** The results of the search: any page, an object by its name or its id, runs by a filter, and actions of the page. */
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type Ref, type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useState } from 'react';
import { useAccess, useOrganization } from '../../api/access.ts';
import { useOfferedActions } from '../page-actions.ts';
import { useRecents } from '../recents.ts';
import { usePlaces } from '../use-places.ts';
import { organizationHitsQuery, workspaceHitsQuery } from './hits.ts';
import { offeredLists } from './offered-lists.ts';
import type { Target } from './target.ts';
import { nearestTargets, targetsOf, withHits } from './targets.ts';

/** Keys of the field that the results use. */
export interface ResultKeys {
  /** True if the key moved the choice. */
  readonly move: (key: string) => boolean;
}

interface Props {
  readonly id: string;
  readonly text: string;
  /** The text for which Enter was pressed. */
  readonly entered: string | undefined;
  readonly keys: Ref<ResultKeys>;
  readonly field: RefObject<HTMLInputElement | null>;
  /** Called when another result than the first is chosen, so that Enter counts again. */
  readonly onMove: () => void;
  readonly onChosen: () => void;
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function PaletteList({ id, text, entered, keys, field, onMove, onChosen }: Props) {
  const router = useRouter();
  const { targets, isSettled } = useTargets(text);
  const [moved, setMoved] = useState<{ readonly text: string; readonly key: string }>();
  const byKey = moved?.text === text ? targets.findIndex(({ key }) => key === moved.key) : -1;
  // Enter does nothing before something is typed: the first entry may be an action.
  const at = byKey >= 0 || text === '' ? byKey : targets.length > 0 ? 0 : -1;
  const chosen = targets[at];
  const choose = (target: Target) => {
    onChosen();
    if (target.act) target.act();
    else if (target.path !== undefined) void router.navigate({ to: target.path });
  };
  useImperativeHandle(keys, () => ({
    move: (key) => {
      const step = steps[key];
      if (step === undefined || targets.length === 0) return false;
      const next = targets[(Math.max(at, step === 1 ? -1 : 0) + step + targets.length) % targets.length];
      if (next) setMoved({ text, key: next.key });
      onMove();
      return true;
    },
  }));
  const chosenId = chosen && `${id}-${at}`;
  useLayoutEffect(() => {
    if (chosenId === undefined) field.current?.removeAttribute('aria-activedescendant');
    else {
      field.current?.setAttribute('aria-activedescendant', chosenId);
      document.getElementById(chosenId)?.scrollIntoView({ block: 'nearest' });
    }
  }, [chosenId, field]);
  // Enter waits for the answer of the server, unless the text names a page or an action or somebody has chosen.
  const isCertain = chosen !== undefined && (byKey >= 0 || chosen.isNamed === true || isSettled);
  const isEntered = entered !== undefined && entered === text && isCertain;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is done once for each Enter.
  useEffect(() => {
    if (isEntered && chosen) choose(chosen);
  }, [isEntered]);
  return (
    <>
      <div
        id={id}
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="max-h-[50vh] overflow-y-auto p-1 empty:hidden"
      >
        {targets.map((target, index) => (
          <Result
            key={target.key}
            id={`${id}-${index}`}
            target={target}
            isChosen={index === at}
            onPoint={() => setMoved({ text, key: target.key })}
            onChoose={() => choose(target)}
          />
        ))}
      </div>
      {targets.length === 0 && text !== '' ? (
        <p role="status" className="px-4 py-6 text-quiet">
          {isSettled ? 'Nothing has this name or id.' : 'Searching…'}
        </p>
      ) : null}
    </>
  );
}

interface ResultProps {
  readonly id: string;
  readonly target: Target;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Result({ id, target, isChosen, onPoint, onChoose }: ResultProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose.
    // biome-ignore lint/a11y/useFocusableInteractive: as above.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={`flex h-9 cursor-default items-center gap-3 rounded-control px-3 max-sm:h-11 ${isChosen ? 'bg-hover' : ''}`}
      onPointerMove={isChosen ? undefined : onPoint}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <span className="flex-1 truncate">{target.name}</span>
      <span className="shrink-0 text-xs text-quiet">{target.kind}</span>
      {target.shortcut === undefined ? null : (
        <kbd className="rounded-control border border-line bg-canvas px-1.5 font-sans text-xs">{target.shortcut}</kbd>
      )}
    </div>
  );
}

/** The entries for this text, person and page. */
function useTargets(text: string): { readonly targets: readonly Target[]; readonly isSettled: boolean } {
  const access = useAccess();
  const permissions = access?.permissions ?? [];
  const organization = useOrganization(undefined)?.slug ?? '';
  const isAsking = text.length > 1;
  // Not delayed, so that Enter never chooses an entry for an earlier text.
  const objects = useQuery({
    ...workspaceHitsQuery(text),
    enabled: isAsking && permissions.includes('flow_runs:read'),
  });
  const others = useQuery({ ...organizationHitsQuery(organization, text), enabled: isAsking && organization !== '' });
  const recents = useRecents();
  const offered = {
    places: usePlaces().flat(),
    permissions,
    actions: useOfferedActions(),
    recents,
    lists: offeredLists(),
  };
  const isSettled = !objects.isFetching && !others.isFetching;
  const targets = withHits(targetsOf(text, offered), [...(objects.data ?? []), ...(others.data ?? [])]);
  const isBare = targets.length === 0 && isSettled && text !== '';
  return { targets: isBare ? nearestTargets(text, offered) : targets, isSettled };
}
