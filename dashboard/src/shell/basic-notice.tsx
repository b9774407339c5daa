import { lazy, Suspense } from 'react';
import { useSignedOut } from '../api/signed-out.ts';

const BasicSignIn = lazy(async () => ({ default: (await import('./basic-sign-in.tsx')).BasicSignIn }));

/** Asks for the user and password once the server has refused a request without them. */
export function BasicNotice() {
  return useSignedOut() ? (
    <Suspense>
      <BasicSignIn />
    </Suspense>
  ) : null;
}
