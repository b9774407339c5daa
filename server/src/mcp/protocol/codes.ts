/**
 * Error codes of JSON-RPC 2.0 and of MCP.
 * Source: modelcontextprotocol.io/specification/2025-11-25/basic/transports and /2026-07-28/schema.
 */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Only in revisions with sessions. */
export const SESSION_NOT_FOUND = -32001;
/** Only in revisions with sessions; the stateless one uses INVALID_PARAMS. */
export const RESOURCE_NOT_FOUND = -32002;
/** Only in revisions with sessions; the stateless one has a result that requests input. */
export const URL_ELICITATION_REQUIRED = -32042;

/** Only in the stateless revision. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** True for the codes that the stateless revision reserves; they have the status 400. */
export function isProtocolCode(code: number): boolean {
  return code <= -32020 && code >= -32099;
}
