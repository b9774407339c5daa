/** The pages of the workspaces of an organization and of access to them. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { text } from '../shell/search.ts';

const search = {
  /** Slug; the organization of the workspace when absent. */
  organization: text,
  /** Opens the form for a new `workspace` or `organization`. */
  new: text,
};

export const workspaceRoutes = [
  createRoute(page('/workspaces', () => import('./workspaces-page.tsx'), 'WorkspacesPage', search)),
  createRoute(page('/workspaces/$id', () => import('./workspace-page.tsx'), 'WorkspacePage', search)),
] as const;
