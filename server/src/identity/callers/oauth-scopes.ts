/** What a person allows an MCP client to do on a server. The person's own role and the policy bound it further. */
export const MCP_SCOPES = ['mcp:read', 'mcp:call'] as const;
export type McpScope = (typeof MCP_SCOPES)[number];

export const ALL_MCP_SCOPES = MCP_SCOPES.join(' ');

/** The scopes of ours in a list with spaces, in a fixed order; all of them where it names none. */
export function mcpScopesOf(scope: string | undefined): McpScope[] {
  const named = new Set(scope?.split(' '));
  const known = MCP_SCOPES.filter((one) => named.has(one));
  return known.length === 0 ? [...MCP_SCOPES] : known;
}

/** The scope that a message needs. A batch may hold a call, and a task is one. */
export function scopeFor(method: string | null): McpScope {
  return method === 'tools/call' || method === 'batch' || method?.startsWith('tasks/') ? 'mcp:call' : 'mcp:read';
}
