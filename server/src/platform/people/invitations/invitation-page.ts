import { nameField, newPasswordField, providerButton, signOutForm } from '../../../pages/account-form.ts';
import { csrfField, type Problems } from '../../../pages/form.ts';
import { type Html, html } from '../../../pages/html.ts';
import { signInAddress } from '../../../pages/next.ts';
import type { ProviderLink } from '../../sign-in/provider-link.ts';
import { MIN_PASSWORD_LENGTH } from '../sessions/schema.ts';

interface InvitationFacts {
  readonly organization: string;
  readonly email: string;
  readonly role: string;
}

function heading({ organization, email, role }: InvitationFacts): Html {
  return html`<h1>Join ${organization}</h1>
    <p>The invitation is for <strong>${email}</strong>, as ${role === 'admin' ? 'an administrator' : 'a member'}.</p>`;
}

/** The page for a person without an account. */
export function newAccountPage(
  facts: InvitationFacts,
  name: string | undefined,
  problems: Problems,
  provider: ProviderLink | undefined,
): Html {
  return html`${heading(facts)}
    ${providerButton(provider, 'or choose a password')}
    <form method="post">
      ${nameField({ value: name, problem: problems['name'], optional: true })}
      <input type="hidden" name="email" autocomplete="username" value="${facts.email}">
      ${newPasswordField({ problem: problems['password'], minLength: MIN_PASSWORD_LENGTH })}
      <button type="submit">Create the account and join</button>
    </form>
    <p class="quiet small">Do you have an account with another address? Ask for an invitation to that address.</p>`;
}

/** The page for a person who has an account with the address and is not signed in. */
export function signInFirstPage(facts: InvitationFacts, address: string): Html {
  return html`${heading(facts)}
    <p>An account with this address exists.</p>
    <p><a class="button" href="${signInAddress(address)}">Sign in to join</a></p>`;
}

export function joinPage(facts: InvitationFacts, csrfToken: string): Html {
  return html`${heading(facts)}
    <form method="post">${csrfField(csrfToken)}<button type="submit">Join</button></form>`;
}

/** The page for a person who is signed in with another address. */
export function otherAddressPage(facts: InvitationFacts, own: string, csrfToken: string): Html {
  return html`${heading(facts)}
    <p class="notice bad" role="alert">You are signed in as ${own}. Sign out and open the invitation again, or ask for one
      to your address.</p>
    ${signOutForm(csrfToken)}`;
}

export function noInvitationPage(reason: string): Html {
  return html`<h1>This invitation does not work</h1>
    <p>${reason}</p>
    <p><a href="/sign-in">Sign in</a></p>`;
}
