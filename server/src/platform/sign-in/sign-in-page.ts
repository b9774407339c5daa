import { providerButton, signOutForm } from '../../pages/account-form.ts';
import { complaint, csrfField, field } from '../../pages/form.ts';
import { type Html, html } from '../../pages/html.ts';
import type { ProviderLink } from './provider-link.ts';

interface SignInForm {
  readonly email?: string | undefined;
  readonly complaint?: string;
  readonly notice?: string | undefined;
  /** The link through an identity provider, if there is one. */
  readonly provider: ProviderLink | undefined;
  /** True if a forgotten password can be replaced by mail. */
  readonly sendsMail: boolean;
}

export function signInPage({ email, complaint: told, notice, provider, sendsMail }: SignInForm): Html {
  return html`<h1>Sign in</h1>
    ${notice && html`<p class="notice good" role="status">${notice}</p>`}
    ${complaint(told)}
    ${providerButton(provider, 'or with a password')}
    <form method="post">
      ${field({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        autocomplete: 'username',
        value: email,
        focus: !email,
      })}
      ${field({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        focus: Boolean(email),
      })}
      <button type="submit">Sign in</button>
    </form>
    ${sendsMail ? html`<p class="small"><a href="/forgotten-password">Forgotten password?</a></p>` : undefined}`;
}

/** The footer of a page for a person who is signed in. */
export function signedInFooter(email: string, csrfToken: string): Html {
  return html`Signed in as ${email} ·
    <form method="post" action="/sign-out">${csrfField(csrfToken)}<button type="submit">Sign out</button></form>`;
}

interface SignedInFacts {
  readonly name: string | null;
  readonly email: string;
  readonly organizations: readonly { readonly name: string; readonly role: string }[];
  readonly csrfToken: string;
}

/** The page after a sign-in beside a page of the dashboard whose session had ended. */
export function signedInPage({ name, email, organizations, csrfToken }: SignedInFacts): Html {
  return html`<h1>You are signed in</h1>
    <p class="quiet">If another page waits for you, close this one and continue there.</p>
    <dl>
      ${name === null ? undefined : html`<dt>Name</dt><dd>${name}</dd>`}
      <dt>Address</dt><dd>${email}</dd>
      ${organizations.map((one) => html`<dt>${one.name}</dt><dd>${one.role === 'admin' ? 'Administrator' : 'Member'}</dd>`)}
    </dl>
    ${organizations.length > 0 ? undefined : html`<p class="quiet">You are in no organization yet. Ask for an invitation.</p>`}
    <p><a class="button" href="/">Open Signalbox</a></p>
    ${signOutForm(csrfToken)}`;
}
