/** Error bodies of the platform API: `{"error": {"code", "message", "details"?}}`. */
import { errorCodes } from '../../error-codes.ts';
import { ApiError, ValidationFailed } from '../../errors.ts';
import { described, Shape, Type } from '../../schema/kinds.ts';
import type { RenderedError } from './render-error.ts';

const CODES = `One of: ${Object.keys(errorCodes).sort().join(', ')}.`;

/** `code` is for programs, `message` a sentence for people. */
export const Problem = Shape(
  'Problem',
  {
    error: Shape(
      'ProblemError',
      {
        code: described(Type.String(), CODES),
        message: Type.String(),
        details: Type.Optional(Type.Unsafe<unknown>({})),
      },
      'ignore',
    ),
  },
  'ignore',
);

const internalProblem = {
  code: 'internal_error',
  message: 'Internal server error. The request id identifies it in the log.',
};

const CHALLENGE = { 'www-authenticate': 'Bearer realm="signalbox"' };

/** Shows nothing of an error that is not an `ApiError`. */
export function renderPlatformError(error: unknown): RenderedError {
  if (!(error instanceof ApiError)) return { status: 500, headers: {}, body: bodyOf(internalProblem) };
  const { status, headers } = error;
  return { status, headers: status === 401 ? { ...CHALLENGE, ...headers } : headers, body: bodyOf(problemOf(error)) };
}

function bodyOf(problem: object): string {
  return JSON.stringify({ error: problem });
}

function problemOf(error: ApiError): object {
  if (error instanceof ValidationFailed) {
    // The answer does not repeat the body, which may contain a password.
    const details = error.issues.map(({ loc, msg }) => ({
      field: loc.slice(1).join('.') || loc.join('.'),
      message: msg,
    }));
    return { code: error.code, message: 'The request does not match its schema.', details };
  }
  return { code: error.code, message: error.message, ...(error.details ? { details: error.details } : {}) };
}
