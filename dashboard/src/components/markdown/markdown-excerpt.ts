const LONGEST = 300;

/** The first line of a Markdown text in plain words, for a row of a list. */
export function markdownExcerpt(text: string): string {
  const lines = text.slice(0, LONGEST).split('\n');
  const line = lines.map(plain).find((one) => one !== '') ?? '';
  return text.length > LONGEST && lines.length === 1 ? `${line}…` : line;
}

function plain(line: string): string {
  return line
    .replace(/^\s*(?:[-*_]{3,}|```.*|[|:\s-]+)$/, '')
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/, '')
    .replaceAll(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/(\*\*|__|~~|[*`])(?=\S)([^*`~]*[^*`~\s])\1/g, '$2')
    .replaceAll(/(?<![\w_])_(?=\S)([^_]*[^_\s])_(?![\w_])/g, '$1')
    .trim();
}
