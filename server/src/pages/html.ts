/** HTML written as template literals: every inserted value is escaped, unless it is HTML itself. */

type Part = string | number | Html | readonly Html[] | undefined | null;

/** Text that is safe to send unchanged. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Values are safe between tags and inside quoted attributes only: never in a script, a style or a tag. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + textOf(parts[index - 1]) + string));
}

function textOf(part: Part): string {
  if (part === undefined || part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
