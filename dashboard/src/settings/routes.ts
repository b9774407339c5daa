/** The address of settings. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';

export const settingsRoutes = [
  createRoute(page('/settings', () => import('./settings-page.tsx'), 'SettingsPage')),
] as const;
