/**
 * Splits a command that was given as one text into words, because no shell parses it. White space separates; single
 * quotes keep everything; in double quotes and outside of quotes a backslash keeps the next character. Variables,
 * patterns and pipes are not expanded. Undefined when a quote is not closed or the text contains no word.
 */
export function commandWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && quote !== "'") {
      at++;
      if (at >= text.length) return undefined;
      word = (word ?? '') + text[at];
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return words.length > 0 ? words : undefined;
}
