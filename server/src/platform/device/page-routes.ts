import type { PageInput, PageRoute } from '../../http/page-route.ts';
import { actorOf } from '../../platform-context.ts';
import { signedInFooter } from '../sessions/sign-in-page.ts';
import { approvalPage, codePage, decidedPage } from './approval-page.ts';
import { decideOnDevice, readWaitingDevice } from './operations.ts';

const path = '/oauth/device';
const title = 'Connect a device';

const refused: PageRoute['refused'] = ({ query, form }, { status, message }) => ({
  status,
  title,
  content: codePage(query['user_code'] ?? form['user_code'], message),
});

export const devicePages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'session',
    handler: async (input) => {
      const { context, query } = input;
      const code = query['user_code'];
      if (!code) return { status: 200, title, content: codePage(undefined, undefined), footer: footerOf(input) };
      const device = await readWaitingDevice(context, code);
      const content = approvalPage(device, actorOf(context).name, csrfTokenOf(input));
      return { status: 200, title, content, footer: footerOf(input) };
    },
    refused,
  },
  {
    method: 'POST',
    path,
    access: 'session',
    handler: async ({ context, form }) => {
      const approve = form['decision'] === 'approve';
      await decideOnDevice(context, { userCode: form['user_code'] ?? '', approve });
      return { status: 200, title, content: decidedPage(approve) };
    },
    refused,
  },
];

function footerOf(input: PageInput) {
  return signedInFooter(actorOf(input.context).name, csrfTokenOf(input));
}

function csrfTokenOf({ context }: PageInput): string {
  return context.caller?.session?.csrfToken ?? '';
}
