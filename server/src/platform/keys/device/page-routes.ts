import { actorOf, csrfTokenOf, type PlatformContext } from '../../../context/platform-context.ts';
import type { PageRoute } from '../../../http/routes/page-route.ts';
import { signedInFooter } from '../../sign-in/sign-in-page.ts';
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
    handler: async ({ context, query }) => {
      const code = query['user_code'];
      if (!code) return { status: 200, title, content: codePage(undefined, undefined), footer: footerOf(context) };
      const device = await readWaitingDevice(context, code);
      const content = approvalPage(device, actorOf(context).name, csrfTokenOf(context));
      return { status: 200, title, content, footer: footerOf(context) };
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

function footerOf(context: PlatformContext) {
  return signedInFooter(actorOf(context).name, csrfTokenOf(context));
}
