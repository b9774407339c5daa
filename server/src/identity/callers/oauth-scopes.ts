/**
 * The scopes that a person grants to an MCP client on a server. The person's own role and the policy restrict it
 * further.
 */
export const MCP_SCOPES = ['mcp:read', 'mcp:call'] as const;
export type McpScope = (typeof MCP_SCOPES)[number];

export const ALL_MCP_SCOPES = MCP_SCOPES.join(' ');

/** The known scopes in a space-separated list, in a fixed order; all scopes if the list has none of them. */
export function mcpScopesOf(scope: string | undefined): McpScope[] {
  const named = new Set(scope?.split(' '));
  const known = MCP_SCOPES.filter((one) => named.has(one));
  return known.length === 0 ? [...MCP_SCOPES] : known;
}

/** The scope that a message requires. A batch may contain a call, and a task is a call. */
export function scopeFor(method: string | null): McpScope {
  return method === 'tools/call' || method === 'batch' || method?.startsWith('tasks/') ? 'mcp:call' : 'mcp:read';
}
