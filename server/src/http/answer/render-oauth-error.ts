/** Error bodies of OAuth: `{"error": "code", "error_description"}`. Source: RFC 6749, section 5.2; RFC 7591, section 3.2.2. */
import { ApiError } from '../../errors.ts';
import type { RenderedError } from './render-error.ts';

/** Shows nothing of an error that is not an `ApiError`. */
export function renderOAuthError(error: unknown): RenderedError {
  const { status, headers, message } =
    error instanceof ApiError
      ? error
      : { status: 500, headers: {}, message: 'Internal server error. The request id identifies it in the log.' };
  const body = JSON.stringify({ error: codeOf(status), error_description: message });
  return { status, headers: { 'cache-control': 'no-store', ...headers }, body };
}

function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status < 500 ? 'invalid_request' : 'server_error';
}
