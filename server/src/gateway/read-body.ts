import type { IncomingMessage } from 'node:http';

/** `too_large` past the limit, `broken` when the client goes away before its end. */
export type ReceivedBody = Buffer | 'too_large' | 'broken';

/** The whole body. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return resolve('too_large');
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size > maxBytes) {
        request.pause();
        resolve('too_large');
        return;
      }
      parts.push(part);
    });
    request.on('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    request.on('close', () => resolve('broken'));
  });
}
