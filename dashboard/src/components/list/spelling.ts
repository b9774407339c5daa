/** Counts the mistakes between two short words. */

/** The fewest letters to add, leave out, change or swap with the next to make `other` of `one`. */
export function mistakes(one: string, other: string): number {
  return mistakesByLength(one, other).at(-1) ?? 0;
}

/** The fewest mistakes with which `text` is a beginning of `name`. */
export function mistakesInBeginning(text: string, name: string): number {
  return Math.min(...mistakesByLength(text, name));
}

/** The mistakes between `one` and each beginning of `other`, the empty one first. */
function mistakesByLength(one: string, other: string): readonly number[] {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last;
}
