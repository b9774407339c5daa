import { lazy, Suspense, useEffect, useState } from 'react';

const NoticeList = lazy(async () => ({ default: (await import('./notice-list.tsx')).NoticeList }));

/** Loads the list with the first key or press, so its live region is there before an act has an answer. */
export function Notifications() {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    const loading = new AbortController();
    const load = () => {
      setNeeded(true);
      loading.abort();
    };
    for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, load, { signal: loading.signal });
    return () => loading.abort();
  }, []);
  return isNeeded ? (
    <Suspense fallback={null}>
      <NoticeList />
    </Suspense>
  ) : null;
}
