/** True if a text is spelled nearly like the beginning of a name or of one of its words. */

const LONGEST = 40;

export function isNear(text: string, name: string): boolean {
  const wanted = text.toLowerCase();
  if (wanted.length < 3 || wanted.length > LONGEST) return false;
  const allowed = wanted.length < 5 ? 1 : 2;
  const whole = name.toLowerCase().slice(0, LONGEST);
  return [whole, ...whole.split(/\s+/)].some((one) => mistakesInBeginning(wanted, one) <= allowed);
}

/** The fewest letters to add, remove, change or swap with the next, so that `text` becomes a beginning of `name`. */
function mistakesInBeginning(text: string, name: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: name.length + 1 }, (_, column) => column);
  for (let row = 1; row <= text.length; row++) {
    const current = [row];
    for (let column = 1; column <= name.length; column++) {
      const isSame = text[row - 1] === name[column - 1];
      const isSwapped = text[row - 1] === name[column - 2] && text[row - 2] === name[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return Math.min(...last);
}
