import { lazy, Suspense } from 'react';
import { useSignedOut } from '../../api/signed-out.ts';

const BasicSignIn = lazy(async () => ({ default: (await import('./basic-sign-in.tsx')).BasicSignIn }));

/** Requests the user and password after the server has refused a request without them. */
export function BasicNotice() {
  return useSignedOut() ? (
    <Suspense>
      <BasicSignIn />
    </Suspense>
  ) : null;
}
