import { actorOf, csrfTokenOf } from '../../../context/platform-context.ts';
import { BadRequest } from '../../../errors.ts';
import type { PageAnswer, PageInput, PageRoute } from '../../../http/routes/page-route.ts';
import { signedInFooter } from '../../sign-in/sign-in-page.ts';
import { createPersonalKey } from '../api-keys/operations.ts';
import { DELIVERY_SCRIPT, type Delivery, deliveryPage, noTerminalPage, terminalPage } from './terminal-page.ts';

const path = '/auth/client';
const title = 'Sign in a terminal';

const refused: PageRoute['refused'] = (_, { status }) => ({ status, title, content: noTerminalPage() });

export const terminalPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'session',
    handler: (input) => {
      const { name } = actorOf(input.context);
      const csrfToken = csrfTokenOf(input.context);
      const content = terminalPage(callbackOf(input), name, csrfToken);
      return { status: 200, title, content, footer: signedInFooter(name, csrfToken) };
    },
    refused,
  },
  {
    method: 'POST',
    path,
    access: 'session',
    handler: async (input) => {
      const { context, form } = input;
      const callback = callbackOf(input);
      if (form['decision'] !== 'approve') {
        return deliver({ callback, path: 'failure', payload: { reason: 'Refused in the browser.' } });
      }
      const made = await createPersonalKey(context, { descriptor: 'Prefect command line' });
      return deliver({
        callback,
        path: 'success',
        payload: { api_key: made.secret },
        key: { id: made.apiKey.id, csrfToken: csrfTokenOf(input.context) },
      });
    },
    refused,
  },
];

/** The key goes only to this machine, so the address is only a port. */
function callbackOf({ query }: PageInput): string {
  const callback = query['callback'] ?? '';
  if (!/^http:\/\/(localhost|127\.0\.0\.1):[1-9]\d{0,4}$/.test(callback)) {
    throw new BadRequest('The callback must be an address on this machine.');
  }
  return callback;
}

function deliver(delivery: Delivery): PageAnswer {
  const script = { text: DELIVERY_SCRIPT, mayCall: delivery.callback };
  return { status: 200, title, content: deliveryPage(delivery), script };
}
