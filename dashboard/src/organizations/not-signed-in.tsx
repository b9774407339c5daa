/** Replaces a page about people, for a visitor without a session. */
import { firstAdministrator } from '../api/command.ts';
import { serverFacts } from '../api/server-facts.ts';
import { buttonClass } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { signInAddress } from '../shell/sign-in/sign-in.ts';

export function NotSignedIn({ title }: { readonly title: string }) {
  return (
    <>
      <PageHead title={title} />
      {serverFacts.hasAccounts ? (
        <Empty
          title="Sign in to see this"
          action={
            <a href={signInAddress()} className={buttonClass('primary')}>
              Sign in
            </a>
          }
        >
          People, keys and organizations are shown to those who are signed in.
        </Empty>
      ) : (
        <Empty title="This server has no accounts yet">
          <p className="mb-4">
            Without accounts, everyone who reaches the server may do everything. Each start of the server prints a link
            for the first administrator; the command line creates one too:
          </p>
          <Snippet title="On the machine of the server" text={firstAdministrator} />
        </Empty>
      )}
    </>
  );
}
