/** The pages of the workspaces of an organization and of access to them. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface WorkspacesSearch {
  /** Slug; the organization of the workspace when absent. */
  readonly organization?: string | undefined;
  /** Opens the form for a new `workspace` or `organization`. */
  readonly new?: string | undefined;
}

const validateSearch = (search: Record<string, unknown>): WorkspacesSearch => ({
  organization: text(search['organization']),
  new: text(search['new']),
});

const workspaces = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workspaces',
  validateSearch,
  component: lazyRouteComponent(() => import('./workspaces-page.tsx'), 'WorkspacesPage'),
});

const workspace = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workspaces/$id',
  validateSearch,
  component: lazyRouteComponent(() => import('./workspace-page.tsx'), 'WorkspacePage'),
});

export const workspaceRoutes = [workspaces, workspace] as const;
