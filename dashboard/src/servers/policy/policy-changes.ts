import type { PolicyRule } from '../queries.ts';

/** Rules that were added, changed or removed. */
export function changedRules(stored: readonly PolicyRule[], rules: readonly PolicyRule[]): number {
  const left = stored.map((rule) => JSON.stringify(rule));
  let added = 0;
  for (const rule of rules) {
    const at = left.indexOf(JSON.stringify(rule));
    if (at >= 0) left.splice(at, 1);
    else added += 1;
  }
  return Math.max(added, left.length);
}
