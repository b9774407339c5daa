/** The addresses of the inbox: the causes of failures. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { oneOf, text } from '../shell/search.ts';

/** The list; that of the open causes when it is absent. */
const inboxSearch = { list: oneOf('muted', 'resolved') };

export const inboxRoutes = [
  createRoute(page('/inbox', () => import('./inbox-page.tsx'), 'InboxPage', inboxSearch)),
  createRoute(page('/inbox/cause/$id', () => import('./cause-page.tsx'), 'CausePage')),
  createRoute(
    page('/inbox/server-cause/$id', () => import('./server-cause-page.tsx'), 'ServerCausePage', { organization: text }),
  ),
] as const;
