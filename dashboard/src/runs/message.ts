/** The message of a state, without the words that clients put before each. */
const PREAMBLE = /^(?:Flow|Task) run encountered an exception:? /;

/** The first line; empty where there is none. */
export function shortMessage(message: string | null | undefined): string {
  return firstLine(message?.replace(PREAMBLE, '') ?? '');
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
