/** The serving URL of an MCP server: `/servers/{organization slug}/{server slug}/mcp`, with or without a slash at its end. */
export interface ServerAddress {
  readonly organization: string;
  readonly server: string;
}

const PREFIX = '/servers/';
const ADDRESS = /^\/servers\/([a-z0-9-]{1,60})\/([a-z0-9-]{1,60})\/mcp\/?(?:\?|$)/;

/** The dashboard's page of a server: `/servers/{id or slug}`. */
const PAGE = /^\/servers\/[^/?]*\/?(?:\?|$)/;

/** True for every address that the gateway answers, including addresses of no server. */
export function isServingUrl(url: string): boolean {
  return url.startsWith(PREFIX) && !PAGE.test(url);
}

/** Undefined when the URL is not a serving URL. A query is ignored. */
export function addressOf(url: string): ServerAddress | undefined {
  const [, organization, server] = ADDRESS.exec(url) ?? [];
  return organization === undefined || server === undefined ? undefined : { organization, server };
}

export function servingPath(organization: string, server: string): string {
  return `${PREFIX}${organization}/${server}/mcp`;
}
