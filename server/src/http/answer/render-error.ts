/** Error bodies of the Prefect API. Source: the Prefect server 3.9.1; server/test/reference compares them. */
import {
  ApiError,
  ObjectNotFound,
  PayloadTooLarge,
  Unauthorized,
  Unavailable,
  ValidationFailed,
  type ValidationIssue,
} from '../../errors.ts';
import { jsonTextOf } from '../../values/json.ts';

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Shows nothing of an error that is not an `ApiError`. `requestBody` is the parsed body of the client, which a
 * validation answer repeats.
 */
export function renderError(error: unknown, requestBody: unknown): RenderedError {
  if (!(error instanceof ApiError)) {
    return { status: 500, headers: {}, body: '{"exception_message":"Internal Server Error"}' };
  }
  return { status: error.status, headers: error.headers, body: bodyOf(error, requestBody) };
}

function bodyOf(error: ApiError, requestBody: unknown): string {
  if (error instanceof ValidationFailed) {
    const issues = error.issues.map(renderIssue).join(',');
    return `{"exception_message":${JSON.stringify(error.message)},"exception_detail":[${issues}],"request_body":${jsonTextOf(requestBody ?? null)}}`;
  }
  if (error instanceof Unavailable) return '{"exception_message":"Service Unavailable"}';
  if (error instanceof ObjectNotFound || error instanceof Unauthorized || error instanceof PayloadTooLarge) {
    return JSON.stringify({ exception_message: error.message });
  }
  return JSON.stringify({ detail: error.message });
}

function renderIssue(issue: ValidationIssue): string {
  const context = issue.ctx ? `,"ctx":${jsonTextOf(issue.ctx)}` : '';
  const url = issue.url === undefined ? '' : `,"url":${JSON.stringify(issue.url)}`;
  return `{"type":${JSON.stringify(issue.type)},"loc":${JSON.stringify(issue.loc)},"msg":${JSON.stringify(issue.msg)},"input":${jsonTextOf(issue.input ?? null)}${context}${url}}`;
}
