/** All addresses of the dashboard. The routes of an area are beside its pages, which are loaded on first use. */
import { createRouter } from '@tanstack/react-router';
import { accountRoutes } from './account/routes.ts';
import { pagesPath } from './api/workspace.ts';
import { artifactRoutes } from './artifacts/routes.ts';
import { auditFields } from './audit/audit-fields.ts';
import { auditRoutes } from './audit/routes.ts';
import { automationRoutes } from './automations/routes.ts';
import { blockRoutes } from './blocks/routes.ts';
import { catalogRoutes } from './catalog/routes.ts';
import { Failed } from './components/states-of-loading.tsx';
import { concurrencyRoutes } from './concurrency/routes.ts';
import { deploymentRoutes } from './deployments/routes.ts';
import { eventFields } from './events/event-fields.ts';
import { eventRoutes } from './events/routes.ts';
import { firstHourRoutes } from './first-hour/routes.ts';
import { flowRoutes } from './flows/routes.ts';
import { homeRoutes } from './home/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { requestFields } from './requests/request-fields.ts';
import { requestRoutes } from './requests/routes.ts';
import { flowRunFields } from './runs/list/run-fields.ts';
import { runRoutes } from './runs/routes.ts';
import { scheduleRoutes } from './schedule/routes.ts';
import { serverRoutes } from './servers/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import type { FilteredList } from './shell/palette/filter-targets.ts';
import { rootRoute } from './shell/root-route.ts';
import { parseSearch, stringifySearch } from './shell/search.ts';
import { variableRoutes } from './variables/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { workRoutes } from './work/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

const tree = rootRoute.addChildren([
  ...homeRoutes,
  ...firstHourRoutes,
  ...inboxRoutes,
  ...runRoutes,
  ...flowRoutes,
  ...artifactRoutes,
  ...deploymentRoutes,
  ...scheduleRoutes,
  ...workRoutes,
  ...eventRoutes,
  ...concurrencyRoutes,
  ...automationRoutes,
  ...blockRoutes,
  ...variableRoutes,
  ...catalogRoutes,
  ...webhookRoutes,
  ...serverRoutes,
  ...requestRoutes,
  ...settingsRoutes,
  ...accountRoutes,
  ...peopleRoutes,
  ...workspaceRoutes,
  ...auditRoutes,
]);

/** The palette narrows the first of these lists that has the typed fields. */
export const filteredLists: readonly FilteredList[] = [
  { path: '/runs', title: 'Runs', fields: flowRunFields },
  { path: '/events', title: 'Events', fields: eventFields },
  { path: '/requests', title: 'Requests', fields: requestFields },
  { path: '/audit', title: 'Audit entries', fields: auditFields },
];

export function createAppRouter() {
  return createRouter({
    routeTree: tree,
    basepath: pagesPath || '/',
    defaultPreload: 'intent',
    // The router's own function would try to parse each value of each link as JSON, which takes half the time of
    // drawing a table.
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) => <Failed error={error} retry={reset} />,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
