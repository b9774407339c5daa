/** The accounts of people that the gateway uses at this server, for its administrators. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/page.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { endAccount } from '../actions.ts';
import { type ConnectedAccount, connectedAccountsQuery, type ServerPath } from '../queries.ts';

export function ConnectedAccounts({ path }: { readonly path: ServerPath }) {
  const accounts = useQuery(connectedAccountsQuery(path));
  const [asked, setAsked] = useState<ConnectedAccount>();
  const { items = [], meta } = accounts.data ?? {};
  return (
    <Section title="Accounts of people" aside={items.length > 0 ? items.length : undefined}>
      {accounts.isPending ? (
        <Skeleton rows={2} />
      ) : !accounts.data ? (
        <Failed error={accounts.error} retry={() => void accounts.refetch()} />
      ) : (
        <ul className="border-t border-line" aria-label="Accounts of people">
          {items.length === 0 ? <li className="ruled py-2 text-soft">Nobody has connected an account yet.</li> : null}
          {items.map((account) => (
            <li key={account.userId} className="ruled flex min-h-9 flex-wrap items-center gap-3">
              <span className="min-w-0 flex-1 truncate">
                {account.email}
                <span className="ml-2 text-xs text-quiet">{account.kind === 'key' ? 'key' : 'sign-in'}</span>
              </span>
              {account.state === 'ended' ? <span className="text-xs text-failed-text">must connect again</span> : null}
              <span className="text-xs text-quiet">
                <Moment time={account.connectedAt} />
              </span>
              <Button kind="quiet" onClick={() => setAsked(account)}>
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
      {meta?.nextCursor ? <p className="pt-2 text-xs text-quiet">These are the first {items.length}.</p> : null}
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`End the account of ${asked?.email ?? ''}?`}
        action="End account"
        onConfirm={async () => {
          if (asked) await endAccount(path, asked.userId);
          await invalidate('/organizations/{org}/servers/{server}/accounts', '/me/server-accounts');
        }}
      >
        Their next request is refused until they connect again, and their open streams end.
      </Confirm>
    </Section>
  );
}
