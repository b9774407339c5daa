import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import { accessQuery } from './api/access.ts';
import { keepQueriesFresh, live } from './api/live.ts';
import { Problem } from './api/problem.ts';
import { applyTheme } from './preferences/theme.ts';
import { createAppRouter } from './routes.tsx';
import { signInFirst } from './shell/sign-in.ts';

/** An answer is read again when a person returns to the page, unless the stream reported no change. */
const FRESH_MILLISECONDS = 5_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MILLISECONDS,
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status === 503),
      refetchOnWindowFocus: false,
    },
  },
});

applyTheme();
live.start();
keepQueriesFresh(queries);
void queries.fetchQuery(accessQuery).then(signInFirst, () => {});

createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={createAppRouter(queries)} />
  </QueryClientProvider>,
);
