/** What may be done with the object whose page is open, so that the palette can offer it. */
import { useEffect } from 'react';

export interface PageAction {
  readonly title: string;
  readonly act: () => void;
}

let offered: readonly PageAction[] = [];

/** Offers the actions for as long as the component is shown. `false` in place of one that is not possible now. */
export function usePageActions(actions: readonly (PageAction | false)[]): void {
  useEffect(() => {
    const possible = actions.filter((action) => action !== false);
    offered = possible;
    return () => {
      if (offered === possible) offered = [];
    };
  });
}

/** Those of the page that is shown now. */
export function offeredActions(): readonly PageAction[] {
  return offered;
}
