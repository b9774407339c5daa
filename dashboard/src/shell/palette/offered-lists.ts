/** The lists that the palette narrows by what is typed. Their areas are above the shell, so the application offers them. */
import type { FilteredList } from './filter-targets.ts';

let offered: readonly FilteredList[] = [];

export function offerLists(lists: readonly FilteredList[]): void {
  offered = lists;
}

export function offeredLists(): readonly FilteredList[] {
  return offered;
}
