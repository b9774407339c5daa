/** Runs a tool for a caller, and words its answer, or its error, for a model. */

import type { ValidationIssue } from '../../../errors.ts';
import { ApiError, ValidationFailed } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type Asking, type Tool, ToolRefusal } from '../definition/tool.ts';
import type { ApiCaller, ApiInput, RouteName, WorkspaceApi } from '../definition/workspace-api.ts';
import { findTool } from './tools.ts';

export interface ToolCall {
  readonly api: WorkspaceApi;
  readonly caller: ApiCaller;
  readonly now: Timestamp;
  /** False for a tool that the caller's role or the server's policy denies. */
  mayUse(tool: Tool): boolean;
}

interface ToolAnswer {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** Errors are returned as a text on which the model can act. Throws only for a fault of this server. */
export async function callTool(tool: Tool, given: unknown, call: ToolCall): Promise<ToolAnswer> {
  try {
    return answerOf(await runTool(tool, given, call), call);
  } catch (error) {
    if (error instanceof ToolRefusal || error instanceof ApiError) return refusalOf(textOf(error));
    throw error;
  }
}

/** Throws ToolRefusal and the errors of the tool's routes. */
export async function runTool(tool: Tool, given: unknown, { api, caller, now }: ToolCall): Promise<object> {
  const decoded = tool.decode(given ?? {});
  if (!decoded.ok) throw new ToolRefusal(issuesText(decoded.issues));
  const ask = (route: RouteName, input: ApiInput = {}) => {
    if (!tool.routes.includes(route)) throw new Error(`The tool ${tool.name} does not declare ${route}.`);
    return api.call(route, input, caller);
  };
  return tool.run(decoded.value, { ask: ask as Asking['ask'], now });
}

export function refusalOf(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Contains the answer twice, because older clients show their model the text and newer ones the structure. */
function answerOf(answer: object, call: ToolCall): ToolAnswer {
  const { next_steps, ...rest } = answer as { next_steps?: readonly string[] };
  const steps = next_steps?.filter((step) => namedTools(step).every((tool) => call.mayUse(tool)));
  const structuredContent = steps?.length ? { ...rest, next_steps: steps } : rest;
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function namedTools(step: string): Tool[] {
  return (step.match(/\w+/g) ?? []).flatMap((word) => findTool(word) ?? []);
}

function textOf(error: ToolRefusal | ApiError): string {
  return error instanceof ValidationFailed ? issuesText(error.issues) : error.message;
}

const MOST_ISSUES = 5;

/** For example, `limit: Input should be less than or equal to 100`. */
function issuesText(issues: readonly ValidationIssue[]): string {
  return issues
    .slice(0, MOST_ISSUES)
    .map(({ loc, msg }) => `${loc.slice(1).join('.') || 'arguments'}: ${msg}`)
    .join('\n');
}
