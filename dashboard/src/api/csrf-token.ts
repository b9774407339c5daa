/** The CSRF token for changes in a session, which is known once the server has identified the caller. */
import { serverFacts } from './server-facts.ts';

/** A page that cannot get it sends its change without the token, and shows the refusal. */
const PATIENCE_MILLISECONDS = 5_000;

let token: string | undefined;
const known = Promise.withResolvers<void>();

export function csrfToken(): string | undefined {
  return token;
}

/** Waits, for a limited time, for the token of the session. Resolves at once on a server without accounts. */
export async function csrfTokenKnown(): Promise<void> {
  if (!serverFacts.hasAccounts) return;
  await Promise.race([known.promise, new Promise((resolve) => setTimeout(resolve, PATIENCE_MILLISECONDS))]);
}

export function setCsrfToken(value: string | undefined): void {
  token = value;
  known.resolve();
}
