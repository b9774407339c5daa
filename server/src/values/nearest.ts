/** Suggests the name that a person may have meant by a mistyped one. */
import { distance } from 'fastest-levenshtein';

const MOST = 3;
/** The share of a name that may be mistyped. */
const SHARE = 0.4;

/** The known names close to the given one, the closest first. */
function nearest(given: string, known: readonly string[]): string[] {
  return known
    .map((name) => ({ name, away: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, away }) => away <= Math.max(2, Math.round(SHARE * Math.max(name.length, given.length))))
    .sort((left, right) => left.away - right.away)
    .slice(0, MOST)
    .map(({ name }) => name);
}

/**
 * ` Did you mean "users create"?`; empty without a suggestion. `spell` writes a name in the form that the sentence
 * needs.
 */
export function suggestion(
  given: string,
  known: readonly string[],
  spell: (name: string) => string = (name) => name,
): string {
  const names = nearest(given, known).map(spell);
  const last = names.pop();
  if (last === undefined) return '';
  return ` Did you mean ${names.length > 0 ? `${names.join(', ')} or ` : ''}${last}?`;
}
