import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import { accessQuery } from './api/access.ts';
import { keepQueriesFresh, live } from './api/live.ts';
import { queries } from './api/query-client.ts';
import { applyTheme } from './preferences/theme.ts';
import { createAppRouter, filteredLists } from './routes.tsx';
import { offerLists } from './shell/palette/offered-lists.ts';
import { rememberPages } from './shell/recents.ts';
import { signInFirst } from './shell/sign-in/sign-in.ts';

applyTheme();
live.start();
keepQueriesFresh(queries);
rememberPages();
offerLists(filteredLists);
void queries.fetchQuery(accessQuery).then(signInFirst, () => {});

createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={createAppRouter()} />
  </QueryClientProvider>,
);
