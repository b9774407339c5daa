/** The page of the audit of an organization. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { auditSearch } from './audit-fields.ts';

export const auditRoutes = [
  createRoute(page('/audit', () => import('./audit-page.tsx'), 'AuditPage', auditSearch)),
] as const;
