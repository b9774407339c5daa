import type { PersonalKey } from '../../../mcp/credentials/settings.ts';
import { complaint, csrfField, field } from '../../../pages/form.ts';
import { type Html, html } from '../../../pages/html.ts';

export interface ConnectFacts {
  readonly server: string;
  readonly organization: string;
  readonly organizationSlug: string;
  readonly slug: string;
  /** The host that receives the credential. */
  readonly host: string;
  readonly isConnected: boolean;
  /** The reason why the person must connect again. */
  readonly problem: string | null;
  readonly csrfToken: string;
}

export function keyPage(facts: ConnectFacts, { help }: PersonalKey, problem?: string): Html {
  return html`${heading(facts)}
    ${help === '' ? undefined : html`<p>${help}</p>`}
    <form method="post">
      ${csrfField(facts.csrfToken)}
      ${field({ name: 'key', label: `Your key for ${facts.host}`, type: 'password', autocomplete: 'off', problem, focus: true })}
      <button type="submit">${facts.isConnected ? 'Replace the key' : 'Connect'}</button>
    </form>
    ${ending(facts)}`;
}

/** `issuer` is the host at which the person signs in. */
export function signInPage(facts: ConnectFacts, issuer: string): Html {
  return html`${heading(facts)}
    <p>You sign in at <strong>${issuer}</strong> and come back here.</p>
    <form method="post">
      ${csrfField(facts.csrfToken)}
      <button type="submit">${facts.isConnected ? 'Sign in again' : `Continue to ${issuer}`}</button>
    </form>
    ${ending(facts)}`;
}

export function connectedPage({ server, slug }: Pick<ConnectFacts, 'server' | 'slug'>): Html {
  return html`<h1>Your account is connected</h1>
    <p>Your requests to ${server} now use it. You can return to the program that sent you here.</p>
    <p><a class="button" href="/servers/${slug}">To the server</a></p>`;
}

function heading({ server, organization, host, isConnected, problem }: ConnectFacts): Html {
  return html`<h1>Connect your account</h1>
    ${problem === null ? undefined : complaint(problem)}
    <dl>
      <dt>Server</dt><dd>${server} <span class="quiet">(${organization})</span></dd>
      <dt>Account at</dt><dd>${host}</dd>
      <dt>State</dt><dd>${problem !== null ? 'must be connected again' : isConnected ? 'connected' : 'not connected'}</dd>
    </dl>`;
}

function ending({ slug }: ConnectFacts): Html {
  return html`<p class="quiet">It is stored encrypted, used only for your own requests to this server, and never shown. You can
    disconnect it <a href="/servers/${slug}">on the page of the server</a> at any time.</p>`;
}
