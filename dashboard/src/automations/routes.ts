/** The addresses of automations. The Prefect client prints the one of a single automation. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { text } from '../shell/search.ts';

const one = '/automations/automation/$id';

export const automationRoutes = [
  /** `name` is a part of the name. */
  createRoute(page('/automations', () => import('./automations-page.tsx'), 'AutomationsPage', { name: text })),
  /** `template` is the key of the template that fills the form, `cause` the id of a cause of failures with its name. */
  createRoute(
    page('/automations/create', () => import('./create-page.tsx'), 'CreateAutomationPage', {
      template: text,
      cause: text,
      name: text,
    }),
  ),
  createRoute(page(one, () => import('./automation-page.tsx'), 'AutomationPage')),
  createRoute(page(`${one}/edit`, () => import('./edit-page.tsx'), 'EditAutomationPage')),
] as const;
