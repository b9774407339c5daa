/** The addresses of automations. The Prefect client prints the one of a single automation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface AutomationsSearch {
  /** A part of the name. */
  readonly name?: string | undefined;
}

const automations = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations',
  validateSearch: (search: Record<string, unknown>): AutomationsSearch => ({ name: text(search['name']) }),
  component: lazyRouteComponent(() => import('./automations-page.tsx'), 'AutomationsPage'),
});

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations/create',
  /** `template` is the key of the template that fills the form. */
  validateSearch: (search: Record<string, unknown>): { readonly template?: string | undefined } => ({
    template: text(search['template']),
  }),
  component: lazyRouteComponent(() => import('./create-page.tsx'), 'CreateAutomationPage'),
});

const automation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations/automation/$id',
  component: lazyRouteComponent(() => import('./automation-page.tsx'), 'AutomationPage'),
});

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations/automation/$id/edit',
  component: lazyRouteComponent(() => import('./edit-page.tsx'), 'EditAutomationPage'),
});

export const automationRoutes = [automations, create, automation, edit] as const;
