/** The page on which a person lets an MCP client use a server. */

import { actorOf, csrfTokenOf } from '../../context/platform-context.ts';
import { found } from '../../errors.ts';
import { type PageInput, type PageRoute, redirect } from '../../http/routes/page-route.ts';
import { cookieOf } from '../../http/session/session-cookie.ts';
import { oauthPlaceAt } from '../../network/oauth-place.ts';
import { signedInFooter } from '../sign-in/sign-in-page.ts';
import type { Authorization } from './authorization.ts';
import { allowClient, findFlowOf, readAsked, refuseClient } from './consent.ts';
import { consentPage, destinationSource } from './consent-page.ts';
import { CONSENT_PATH, FLOW_COOKIE } from './provider.ts';

const path = `${CONSENT_PATH}/{flow}`;
const title = 'Connect a client';

/** `authorization` answers the requests before and after the page. */
export function consentPages(authorization: Pick<Authorization, 'providerOf'>): readonly PageRoute[] {
  const read = async (input: PageInput) => {
    const { server, origin } = input.context;
    const place = found(oauthPlaceAt(server.config, origin), 'MCP clients cannot sign in at this address.');
    const provider = await authorization.providerOf(place);
    const flow = await findFlowOf(provider, input.path['flow'] ?? '', cookieOf(input.headers, FLOW_COOKIE));
    return { provider, flow, servers: place.servers };
  };
  return [
    {
      method: 'GET',
      path,
      access: 'session',
      handler: async (input) => {
        const { context, address } = input;
        const { provider, flow, servers } = await read(input);
        const asked = await readAsked(context, provider, flow, servers);
        const [{ name }, csrfToken] = [actorOf(context), csrfTokenOf(context)];
        return {
          status: 200,
          title,
          content: consentPage(asked, name, address, csrfToken),
          footer: signedInFooter(name, csrfToken),
          mayLeadTo: destinationSource(asked.redirectUri),
        };
      },
    },
    {
      method: 'POST',
      path,
      access: 'session',
      handler: async (input) => {
        const { provider, flow, servers } = await read(input);
        if (input.form['decision'] !== 'allow') return redirect(await refuseClient(flow));
        const asked = await readAsked(input.context, provider, flow, servers);
        return redirect(await allowClient(input.context, flow, asked));
      },
    },
  ];
}
