/** A paragraph in lines of at most `width` characters; later lines begin with `indent`. Code stays on one line. */
export function wrapped(text: string, indent = '', width = 130): string {
  const lines: string[] = [];
  let line = '';
  for (const [word] of text.matchAll(/(?:`[^`]*`|\S)+/g)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
