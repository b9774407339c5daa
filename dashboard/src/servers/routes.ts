/** The addresses of MCP servers. Their serving URLs are below the same path: `/servers/<organization>/<server>/mcp`. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { oneOf, text } from '../shell/search.ts';

/** `import`: an external server from a file of the MCP registry. */
const newServerSearch = { kind: oneOf('external', 'hosted', 'remix', 'import') };

const serverSearch = {
  tab: text,
  /** The open capability, and the tested tool. */
  name: text,
  /** The actor whose view of the policy is shown. */
  actor: text,
  /** The build whose output is shown. */
  build: text,
};

export const serverRoutes = [
  createRoute(page('/servers', () => import('./servers-page.tsx'), 'ServersPage')),
  createRoute(page('/servers/new', () => import('./new/new-server-page.tsx'), 'NewServerPage', newServerSearch)),
  createRoute(page('/servers/$server', () => import('./server-page.tsx'), 'ServerPage', serverSearch)),
] as const;
