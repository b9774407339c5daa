import { type Html, html } from '../../pages/html.ts';

/** The page for a person whose client sent a wrong request that cannot be answered to the client. */
export function errorPage(problem: string): Html {
  return html`<h1>Sign-in failed</h1>
    <p class="notice bad" role="alert">${problem}</p>
    <p class="quiet">The program that opened this page sent a request that this server does not allow. Start again from
      that program. If it fails again, use an API key there.</p>`;
}
