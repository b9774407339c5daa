/** The keys of one owner: what each is for, when it was used, and the way to revoke it. */
import { useMemo, useState } from 'react';
import type { components } from '../api/platform.gen.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Moment } from '../components/moment.tsx';

export type ApiKey = components['schemas']['ApiKey'];

interface Props {
  readonly keys: readonly ApiKey[];
  readonly onEnd: () => void;
  readonly onRevoke: (key: ApiKey) => Promise<void>;
}

export function KeyTable({ keys, onEnd, onRevoke }: Props) {
  const [asked, setAsked] = useState<ApiKey>();
  const columns = useMemo(() => columnsOf(setAsked), []);
  return (
    <>
      <DataTable label="Keys" columns={columns} rows={keys} idOf={({ id }) => id} onEnd={onEnd} />
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`Revoke the key for ${asked?.descriptor ?? ''}?`}
        action="Revoke key"
        onConfirm={async () => {
          if (asked) await onRevoke(asked);
        }}
      >
        Programs that show it are refused from the next request on. This cannot be undone.
        {asked?.lastUsedAt ? (
          <>
            {' '}
            It was last used <Moment time={asked.lastUsedAt} />.
          </>
        ) : null}
      </Confirm>
    </>
  );
}

function columnsOf(ask: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  return [
    {
      id: 'descriptor',
      title: 'For',
      width: 'minmax(10rem, 2fr)',
      line: 1,
      cell: ({ descriptor, state }) => (
        <span className={state === 'revoked' ? 'text-quiet line-through' : 'font-medium'}>{descriptor}</span>
      ),
    },
    { id: 'used', title: 'Last used', width: '9rem', line: 2, cell: (key) => <LastUsed time={key.lastUsedAt} /> },
    { id: 'created', title: 'Created', width: '7rem', from: 480, cell: (key) => <Moment time={key.createdAt} /> },
    {
      id: 'state',
      title: 'State',
      width: '9rem',
      line: 1,
      align: 'right',
      cell: (key) =>
        key.state === 'active' ? (
          <Button kind="quiet" aria-label={`Revoke the key for ${key.descriptor}`} onClick={() => ask(key)}>
            Revoke
          </Button>
        ) : (
          <span className="text-quiet">
            Revoked <Moment time={key.revokedAt} />
          </span>
        ),
    },
  ];
}

function LastUsed({ time }: { readonly time: string | null }) {
  return time === null ? <span className="text-quiet">Never used</span> : <Moment time={time} />;
}

/** How to replace a key while programs keep using it. */
export function RotationGuide() {
  return (
    <details className="text-soft">
      <summary className="w-fit text-quiet hover:text-ink">Replace a key without a pause</summary>
      <ol className="mt-2 list-decimal pl-5">
        <li>Create a second key. Both work.</li>
        <li>Give the second key to the programs and restart them.</li>
        <li>Wait until “Last used” of the first key stands still. It is exact to the minute.</li>
        <li>Revoke the first key.</li>
      </ol>
    </details>
  );
}
