/**
 * Reports that the session has ended. Typed text stays: people sign in beside this page, which continues when they
 * return.
 */
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { accessQuery } from '../../api/access.ts';
import { queries } from '../../api/query-client.ts';
import { noteSignedIn, useSignedOut } from '../../api/signed-out.ts';
import { buttonClass } from '../../components/button.tsx';
import { signInBeside } from './sign-in.ts';

export function SignedOutNotice() {
  const isOut = useSignedOut();
  const [isStillOut, setStillOut] = useState(false);
  useEffect(() => {
    if (!isOut) return undefined;
    const look = async () => {
      const access = await queries.fetchQuery({ ...accessQuery, staleTime: 0 });
      const isStill = access.user === null;
      setStillOut(isStill);
      if (isStill) return;
      noteSignedIn();
      await queries.invalidateQueries();
    };
    const lookWhenSeen = () => {
      if (document.visibilityState === 'visible') void look().catch(() => {});
    };
    document.addEventListener('visibilitychange', lookWhenSeen);
    addEventListener('focus', lookWhenSeen);
    return () => {
      document.removeEventListener('visibilitychange', lookWhenSeen);
      removeEventListener('focus', lookWhenSeen);
    };
  }, [isOut]);
  if (!isOut) return null;
  // Rendered in the body, so that an open dialog does not block the pointer.
  return createPortal(
    <div
      role="alert"
      className="fixed inset-x-0 bottom-0 z-60 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-t border-line bg-surface px-6 py-3 shadow-raised"
    >
      <p>
        <b className="font-semibold">Your session has ended.</b>{' '}
        <span className="text-soft">
          {isStillOut ? 'You are not signed in yet.' : 'Nothing that you typed here is lost.'}
        </span>
      </p>
      <a href={signInBeside} target="_blank" rel="noopener" className={buttonClass('primary')}>
        Sign in beside this page
      </a>
    </div>,
    document.body,
  );
}
