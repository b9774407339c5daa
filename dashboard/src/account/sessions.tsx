/** The browsers in which the person is signed in. */

import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Lead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { momentColumn } from '../components/table/columns.tsx';
import { type Column, DataTable } from '../components/table/data-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import { endOtherSessions, endSession, type OwnAccount } from './queries.ts';

type OwnSession = OwnAccount['sessions'][number];

export function Sessions({ query }: { readonly query: UseQueryResult<OwnAccount> }) {
  const [asked, setAsked] = useState<OwnSession | 'others'>();
  const columns = useMemo(() => columnsOf(setAsked), []);
  if (!query.data) return <Unread of={query} rows={4} />;
  const { sessions } = query.data;
  const others = sessions.length - 1;
  return (
    <>
      <Lead text="A session ends 14 days after its sign-in, when you sign out, or here. Keys stay when a session ends.">
        {others > 0 ? <Button onClick={() => setAsked('others')}>End all others</Button> : null}
      </Lead>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable label="Sessions" columns={columns} rows={sessions} idOf={({ id }) => id} />
      </div>
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={asked === 'others' ? `End ${others} other ${others === 1 ? 'session' : 'sessions'}?` : 'End session?'}
        action={asked === 'others' ? `End ${others}` : 'End session'}
        onConfirm={async () => {
          if (asked === 'others') await endOtherSessions();
          else if (asked) await endSession(asked.id);
          await invalidate('/me/account');
        }}
      >
        {asked === 'others'
          ? 'Every other browser has to sign in again.'
          : 'That browser has to sign in again, from its next request on.'}
      </Confirm>
    </>
  );
}

function columnsOf(ask: (session: OwnSession) => void): readonly Column<OwnSession>[] {
  return [
    {
      id: 'begun',
      title: 'Signed in',
      width: 'minmax(10rem, 1fr)',
      line: 1,
      cell: ({ createdAt, isCurrent }) => (
        <>
          <Moment time={createdAt} absolute />
          {isCurrent ? <span className="ml-2 font-medium">this browser</span> : null}
        </>
      ),
    },
    momentColumn('seen', 'Last seen', ({ lastSeenAt }) => lastSeenAt, { width: '8rem', line: 2 }),
    momentColumn('ends', 'Ends', ({ expiresAt }) => expiresAt, { width: '8rem', from: 480 }),
    {
      id: 'end',
      title: 'Action',
      width: '5rem',
      line: 1,
      align: 'right',
      cell: (session) =>
        session.isCurrent ? null : (
          <Button kind="quiet" onClick={() => ask(session)}>
            End
          </Button>
        ),
    },
  ];
}
