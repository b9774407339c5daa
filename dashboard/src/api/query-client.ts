/** The one memory of answers of this tab. */
import { QueryClient } from '@tanstack/react-query';
import { Problem } from './problem.ts';

/** An answer is read again when a person returns to the page, unless the stream reported no change. */
const FRESH_MILLISECONDS = 5_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MILLISECONDS,
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status === 503),
      refetchOnWindowFocus: false,
    },
  },
});
