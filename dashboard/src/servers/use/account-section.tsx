/** The person's account at a server: whether it is connected, and a button to disconnect it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/page.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { disconnectAccount } from '../actions.ts';
import { accountQuery, type Server, type ServerAccount, type ServerPath } from '../queries.ts';

export function AccountSection({ server, path }: { readonly server: Server; readonly path: ServerPath }) {
  const { data: account } = useQuery({ ...accountQuery(path), enabled: server.personalCredential !== null });
  const [isAsking, setAsking] = useState(false);
  if (!account) return null;
  return (
    <Section title="Your account">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-3">
        <AccountState account={account} />
        <p className="min-w-60 flex-1 text-soft">{sentenceOf(account)}</p>
        <div className="flex gap-2">
          <a href={account.connectUrl} className={buttonClass(account.state === 'connected' ? 'plain' : 'primary')}>
            {account.state === 'missing' ? 'Connect your account' : 'Connect again'}
          </a>
          {account.state === 'missing' ? null : <Button onClick={() => setAsking(true)}>Disconnect</Button>}
        </div>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        question={`Disconnect your account at ${server.name}?`}
        action="Disconnect"
        onConfirm={async () => {
          await disconnectAccount(path);
          await invalidate('/organizations/{org}/servers/{server}/account');
        }}
      >
        Your next request to the server is refused until you connect again.
      </Confirm>
    </Section>
  );
}

function AccountState({ account: { state, connectedAt } }: { readonly account: ServerAccount }) {
  if (state === 'missing') return <StateLabel kind="PENDING" name="Not connected" />;
  if (state === 'ended') return <StateLabel kind="FAILED" name="Ended" />;
  return (
    <span className="flex items-center gap-2">
      <StateLabel kind="COMPLETED" name="Connected" />
      <span className="text-quiet">
        <Moment time={connectedAt} />
      </span>
    </span>
  );
}

function sentenceOf({ state, kind, problem, scope }: ServerAccount): string {
  if (state === 'ended') return problem ?? '';
  if (state === 'missing') return 'The server is used with the account that each person has there.';
  if (kind === 'key') return 'Your requests carry your own key. It is stored encrypted.';
  return scope ? `Your requests carry your own sign-in, for ${scope}.` : 'Your requests carry your own sign-in.';
}
