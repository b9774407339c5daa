/** The prefix that clients put before a state's message, which is removed. */
const PREAMBLE = /^(?:Flow|Task) run encountered an exception:? /;

/** The first line; empty if there is none. */
export function shortMessage(message: string | null | undefined): string {
  return firstLine(message?.replace(PREAMBLE, '') ?? '');
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
