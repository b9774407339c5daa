/** The first steps on the home page, which loads this where they are shown: Home costs others nothing. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useMay } from '../api/access.ts';
import { buttonClass } from '../components/button.tsx';
import { Empty, Skeleton } from '../components/states-of-loading.tsx';
import { DismissSteps } from './dismiss.tsx';

const FirstHour = lazy(() => import('./first-hour.tsx').then(({ FirstHour: component }) => ({ default: component })));

interface Props {
  /** True if the workspace has no flow, deployment or run. */
  readonly isEmpty: boolean;
  /** True if the steps are shown, and not only a line that leads to them. */
  readonly isLed: boolean;
}

export function StepsOnHome({ isEmpty, isLed }: Props) {
  if (isLed) {
    return (
      <Suspense fallback={<Skeleton rows={12} />}>
        <FirstHour />
      </Suspense>
    );
  }
  return isEmpty ? <NothingYet /> : <StepsNote />;
}

/** An empty workspace that has dismissed the steps. */
function NothingYet() {
  return (
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
  );
}

/** Leads back to the steps from a Home that has other content. Home keeps the room of its one line. */
function StepsNote() {
  const mayDismiss = useMay('flows:write');
  return (
    <section aria-label="First steps" className="flex h-full items-center gap-4 border-l-2 border-line bg-surface px-4">
      <p className="min-w-0 truncate text-soft">Some first steps are left.</p>
      <Link to="/first-hour" className="whitespace-nowrap text-accent underline">
        Show them
      </Link>
      {mayDismiss ? <DismissSteps /> : null}
    </section>
  );
}
