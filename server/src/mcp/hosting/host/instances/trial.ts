/** Tests whether a program that has just been started is an MCP server. */
import { kindOf } from '../../../protocol/message.ts';
import { type Upstream, UpstreamError } from '../../../upstream/upstream.ts';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'signalbox', version: '1' } },
});
/** An answer to `initialize` is far smaller. */
const MAX_BYTES = 1_048_576;
/** A program that authenticates its callers requests a credential first. */
const ASKS_WHO = new Set([401, 403]);

/**
 * Resolves once it has answered `initialize`. An error counts as an answer, because programs of the stateless revision
 * do not know the method. Throws UpstreamError when it does not answer, or answers something else.
 */
export function answersInitialize(upstream: Upstream, seconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    const wrong = (message: string) => reject(new UpstreamError('answer', message));
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const call = upstream.send(
      { method: 'POST', headers, body: Buffer.from(INITIALIZE) },
      {
        begin: (code) => {
          status = code;
          if (ASKS_WHO.has(code)) end();
        },
        data: (chunk) => {
          text += chunk.toString('utf8');
          if (isAnswer(text) || text.length > MAX_BYTES) end();
          return true;
        },
        end: () => end(),
        fail: (error) => {
          clearTimeout(limit);
          reject(error);
        },
      },
    );
    const limit = setTimeout(() => {
      call.abort();
      wrong(`The server did not answer initialize within ${seconds} s.`);
    }, seconds * 1000);
    function end(): void {
      clearTimeout(limit);
      call.abort();
      if (isAnswer(text) || ASKS_WHO.has(status)) resolve();
      else wrong(`The server did not answer initialize with a valid result (HTTP status ${status}).`);
    }
  });
}

/** A JSON-RPC response, as the body or as an event of a stream. */
function isAnswer(text: string): boolean {
  return [text, ...text.split('\n').map((line) => line.replace(/^data: ?/, ''))].some((part) => {
    if (!part.trimStart().startsWith('{')) return false;
    try {
      const value = JSON.parse(part) as Record<string, unknown>;
      return kindOf(value) === 'response' && value['jsonrpc'] === '2.0';
    } catch {
      return false;
    }
  });
}
