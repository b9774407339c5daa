import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import { accessQuery } from './api/access.ts';
import { keepQueriesFresh, live } from './api/live.ts';
import { queries } from './api/query-client.ts';
import { applyTheme } from './preferences/theme.ts';
import { createAppRouter } from './routes.tsx';
import { rememberPages } from './shell/recents.ts';
import { signInFirst } from './shell/sign-in.ts';

applyTheme();
live.start();
keepQueriesFresh(queries);
rememberPages();
void queries.fetchQuery(accessQuery).then(signInFirst, () => {});

createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={createAppRouter()} />
  </QueryClientProvider>,
);
