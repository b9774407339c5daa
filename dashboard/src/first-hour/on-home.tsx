/** The first steps on the home page. Their code is loaded where they are shown, so that Home costs others nothing. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useMay } from '../api/access.ts';
import { buttonClass } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Skeleton } from '../components/states-of-loading.tsx';
import { ExpiringKeys } from '../keys/expiring-keys.tsx';
import { DismissSteps } from './dismiss.tsx';

const FirstHour = lazy(() => import('./first-hour.tsx').then(({ FirstHour: component }) => ({ default: component })));

export function FirstSteps() {
  return (
    <Suspense fallback={<Skeleton rows={12} />}>
      <FirstHour />
    </Suspense>
  );
}

/** Home without a flow, deployment or run. */
export function EmptyHome({ isLed }: { readonly isLed: boolean }) {
  return (
    <>
      <PageHead title="Home">No flow has run here yet</PageHead>
      <ExpiringKeys />
      {isLed ? (
        <FirstSteps />
      ) : (
        <Empty
          title="Nothing has arrived"
          action={
            <Link to="/first-hour" className={buttonClass()}>
              First steps
            </Link>
          }
        >
          Runs appear here as they begin. The first steps show the commands.
        </Empty>
      )}
    </>
  );
}

/** Leads back to the steps from a Home that has other content. One line, so that nothing below it moves. */
export function StepsNote() {
  const mayDismiss = useMay('flows:write');
  return (
    <section
      aria-label="First steps"
      className="mx-6 mb-3 flex min-h-(--row-control) flex-wrap items-center gap-x-4 gap-y-1 border-l-2 border-line bg-surface px-4 py-1 max-sm:mx-4"
    >
      <p className="text-soft">This workspace has not taken all of its first steps.</p>
      <Link to="/first-hour" className="text-accent underline">
        Continue
      </Link>
      {mayDismiss ? <DismissSteps /> : null}
    </section>
  );
}
