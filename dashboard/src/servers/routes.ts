/** The addresses of MCP servers. Their serving URLs are below the same path: `/servers/<organization>/<server>/mcp`. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

const servers = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers',
  component: lazyRouteComponent(() => import('./servers-page.tsx'), 'ServersPage'),
});

interface NewServerSearch {
  /** `import`: an external server from a file of the MCP registry. */
  readonly kind?: 'external' | 'hosted' | 'remix' | 'import' | undefined;
}

const newServer = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers/new',
  validateSearch: ({ kind }: Record<string, unknown>): NewServerSearch => ({
    kind: kind === 'external' || kind === 'hosted' || kind === 'remix' || kind === 'import' ? kind : undefined,
  }),
  component: lazyRouteComponent(() => import('./new-server-page.tsx'), 'NewServerPage'),
});

export interface ServerSearch {
  readonly tab?: string | undefined;
  /** The open capability, and the tested tool. */
  readonly name?: string | undefined;
  /** The actor whose view of the policy is shown. */
  readonly actor?: string | undefined;
  /** The build whose output is shown. */
  readonly build?: string | undefined;
}

const server = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers/$server',
  validateSearch: (search: Record<string, unknown>): ServerSearch => ({
    tab: text(search['tab']),
    name: text(search['name']),
    actor: text(search['actor']),
    build: text(search['build']),
  }),
  component: lazyRouteComponent(() => import('./server-page.tsx'), 'ServerPage'),
});

export const serverRoutes = [servers, newServer, server] as const;
