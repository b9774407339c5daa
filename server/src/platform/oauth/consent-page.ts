import type { McpScope } from '../../identity/callers/oauth-scopes.ts';
import { csrfField } from '../../pages/form.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Asked } from './consent.ts';

const meanings: Readonly<Record<McpScope, string>> = {
  'mcp:read': 'See the tools, prompts and resources that you may see, and read them',
  'mcp:call': 'Call the tools that you may call',
};

export function consentPage(asked: Asked, email: string, address: string, csrfToken: string): Html {
  const { clientName, clientId, server, role, scopes, redirectUri } = asked;
  const publisher = hostOf(clientId);
  return html`<h1>Connect ${clientName}?</h1>
    <p>It asks to use an MCP server as <strong>${email}</strong>.</p>
    <dl>
      <dt>Client</dt><dd>${clientName}${publisher === undefined ? html` <span class="quiet">(its own description)</span>` : undefined}</dd>
      ${publisher === undefined ? undefined : html`<dt>Published by</dt><dd>${publisher}</dd>`}
      <dt>Returns to</dt><dd>${destinationOf(redirectUri)}</dd>
      <dt>Server</dt><dd>${server.name} <span class="quiet">(${server.organization_name})</span></dd>
      <dt>Your role</dt><dd>${role}</dd>
    </dl>
    <p>It will be able to:</p>
    <ul>${scopes.map((scope) => html`<li>${meanings[scope]}</li>`)}</ul>
    <p class="quiet">Your role and the policy of the server apply to each of its requests. You can disconnect it at any time, under Account in the dashboard.
      Refuse when you did not start this yourself.</p>
    <form method="post" action="${address}">
      ${csrfField(csrfToken)}
      <div class="choice">
        <button class="plain" type="submit" name="decision" value="deny">Refuse</button>
        <button type="submit" name="decision" value="allow">Allow</button>
      </div>
    </form>`;
}

/** The host that a client id proves, if it is an address. */
function hostOf(clientId: string): string | undefined {
  return clientId.startsWith('https://') ? URL.parse(clientId)?.host : undefined;
}

function destinationOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (url.protocol === 'http:') return 'a program on this computer';
  return url.protocol === 'https:' ? url.host : `the program that opens ${url.protocol}// addresses`;
}

/** The destination of the answer to the form, for the content policy of the page: an origin, or a scheme. */
export function destinationSource(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
}
