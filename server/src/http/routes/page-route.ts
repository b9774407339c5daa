/** The declaration of a page for people. Pages work without scripts: a form is posted to the address of its page. */

import type { PlatformContext } from '../../context/platform-context.ts';
import type { ApiError } from '../../errors.ts';
import type { Html } from '../../pages/html.ts';

/**
 * `public`: anyone, and a form never acts for a session. `session`: a visitor who is not signed in signs in first and
 * comes back. `either`: a form acts for the session if there is one. A form that acts for a session must carry its CSRF
 * token.
 */
type PageAccess = 'public' | 'session' | 'either';

export interface PageInput {
  readonly context: PlatformContext;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The posted fields; empty otherwise. */
  readonly form: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Path and query of the request. */
  readonly address: string;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

export type PageAnswer =
  | {
      readonly status: number;
      readonly title: string;
      readonly content: Html;
      readonly footer?: Html | undefined;
      readonly headers?: Headers;
      /** A script of the page, and the only other origin that it may call. */
      readonly script?: { readonly text: string; readonly mayCall: string };
      /** The only other origin, or scheme, to which the answer to its form may redirect the browser. */
      readonly mayLeadTo?: string;
    }
  | { readonly location: string; readonly headers?: Headers };

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** For example, `/invitations/{token}`; segments match any text. */
  readonly path: string;
  readonly access: PageAccess;
  handler(input: PageInput): Promise<PageAnswer> | PageAnswer;
  /** The page for an error that the person can correct; without it, a plain page shows the error. */
  refused?(input: PageInput, error: ApiError): Promise<PageAnswer> | PageAnswer;
}

export function redirect(location: string, headers?: Headers): PageAnswer {
  return headers ? { location, headers } : { location };
}
