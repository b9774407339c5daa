/** Messages of the protocol in answers, and names in headers. */

/** The JSON-RPC messages of an answer, which is a single one or a stream of events. */
export function messagesIn(text: string, contentType: string): Record<string, unknown>[] {
  const parts = contentType.startsWith('text/event-stream') ? eventsIn(text) : [text];
  return parts.flatMap((part) => {
    try {
      return [JSON.parse(part) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

/** The data of each event. */
function eventsIn(text: string): string[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
    return data.length > 0 ? [data.join('\n')] : [];
  });
}

/** A name that is not safe in a header is encoded in base64, as the protocol requires. */
export function headerText(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text;
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return `=?base64?${btoa(binary)}?=`;
}
