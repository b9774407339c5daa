/**
 * True when `*` (any characters, also none) and `?` (one character) of `pattern` make it `text`. Case counts, and no
 * character is special to it, so `*` passes slashes. Takes at most pattern × text steps.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const wanted = [...pattern];
  const given = [...text];
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < given.length) {
    if (at < wanted.length && wanted[at] === '*') {
      star = at++;
      resume = index;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
