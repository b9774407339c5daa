/** The address of variables. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { variablesSearch } from './variables-search.ts';

export const variableRoutes = [
  createRoute(page('/variables', () => import('./variables-page.tsx'), 'VariablesPage', variablesSearch)),
] as const;
