/** Counts code points, as Python does: `😀` is one character. */
export function isLongerThan(characters: number, text: string): boolean {
  return text.length > characters && [...text].length > characters;
}
