/** The keys of one owner: the purpose, expiry and last use of each, and buttons to roll and to revoke it. */
import { useMemo, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { actionsColumn } from '../components/table/columns.tsx';
import { type Column, DataTable } from '../components/table/data-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import { type ApiKey, endsSoon } from './expiry.ts';
import { type RolledKey, type RollForm, RollKeyDialog } from './roll-key-dialog.tsx';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly onEnd: () => void;
  readonly onRevoke: (key: ApiKey) => Promise<void>;
  readonly onRoll: (key: ApiKey, form: RollForm) => Promise<RolledKey>;
  /** Called at the end of a roll, so that the list is read again. */
  readonly onRolled: () => void;
  /** The number of active keys that the owner may have at a time. */
  readonly most?: number;
  readonly organizationId?: string | undefined;
  readonly maxAgeDays: number | null;
}

type Ask = (what: 'revoke' | 'roll', key: ApiKey) => void;

export function KeyTable({ keys, onEnd, onRevoke, onRoll, onRolled, most, organizationId, maxAgeDays }: Props) {
  const [asked, setAsked] = useState<{ readonly what: 'revoke' | 'roll'; readonly key: ApiKey }>();
  const columns = useMemo(() => columnsOf((what, key) => setAsked({ what, key })), []);
  const active = keys.filter(({ state }) => state === 'active');
  const others = most !== undefined && active.length >= most ? active.filter(({ id }) => id !== asked?.key.id) : [];
  return (
    <>
      <DataTable label="Keys" columns={columns} rows={keys} idOf={({ id }) => id} onEnd={onEnd} />
      <Confirm
        isOpen={asked?.what === 'revoke'}
        onClose={() => setAsked(undefined)}
        question={`Revoke the key for ${asked?.key.descriptor ?? ''}?`}
        action="Revoke key"
        onConfirm={async () => {
          if (asked) await onRevoke(asked.key);
        }}
      >
        Programs that show it are refused from the next request on. This cannot be undone.
        {asked?.key.lastUsedAt ? (
          <>
            {' '}
            It was last used <Moment time={asked.key.lastUsedAt} />.
          </>
        ) : null}
      </Confirm>
      {asked?.what === 'roll' ? (
        <RollKeyDialog
          apiKey={asked.key}
          others={others}
          organizationId={organizationId}
          maxAgeDays={maxAgeDays}
          roll={(form) => onRoll(asked.key, form)}
          onClose={() => {
            setAsked(undefined);
            onRolled();
          }}
        />
      ) : null}
    </>
  );
}

function columnsOf(ask: Ask): readonly Column<ApiKey>[] {
  return [
    {
      id: 'descriptor',
      title: 'For',
      width: 'minmax(9rem, 2fr)',
      line: 1,
      cell: ({ descriptor, state }) => (
        <span className={state === 'active' ? 'font-medium' : 'text-quiet line-through'}>{descriptor}</span>
      ),
    },
    { id: 'expires', title: 'Expires', width: '8rem', line: 2, cell: (key) => <Expiry apiKey={key} /> },
    { id: 'used', title: 'Last used', width: '7rem', line: 2, cell: (key) => <LastUsed apiKey={key} /> },
    { id: 'created', title: 'Created', width: '6rem', from: 620, cell: (key) => <Moment time={key.createdAt} /> },
    { id: 'state', title: 'State', width: '8rem', line: 2, cell: (key) => <State apiKey={key} /> },
    actionsColumn<ApiKey>('8.5rem', (key) => <Actions apiKey={key} ask={ask} />),
  ];
}

function State({ apiKey: { state, replacedBy, revokedAt } }: { readonly apiKey: ApiKey }) {
  if (state === 'revoked') {
    return (
      <span className="text-quiet">
        Revoked <Moment time={revokedAt} />
      </span>
    );
  }
  if (state === 'expired') return <span className="text-quiet">Expired</span>;
  return replacedBy === null ? 'Active' : <span className="text-soft">Rolled, works on</span>;
}

function Actions({ apiKey, ask }: { readonly apiKey: ApiKey; readonly ask: Ask }) {
  const { state, descriptor, replacedBy } = apiKey;
  if (state !== 'active') return null;
  return (
    <>
      {replacedBy === null ? (
        <Button kind="quiet" aria-label={`Roll the key for ${descriptor}`} onClick={() => ask('roll', apiKey)}>
          Roll
        </Button>
      ) : null}
      <Button kind="quiet" aria-label={`Revoke the key for ${descriptor}`} onClick={() => ask('revoke', apiKey)}>
        Revoke
      </Button>
    </>
  );
}

/** The expiry of a key; one that is soon stands out. */
export function Expiry({ apiKey }: { readonly apiKey: ApiKey }) {
  const { expiresAt } = apiKey;
  if (expiresAt === null) {
    return (
      <span className="text-quiet">
        Never<span className="sm:hidden"> expires</span>
      </span>
    );
  }
  return (
    <span className={endsSoon(apiKey, Date.now()) ? 'font-medium text-late-text' : ''}>
      {/* A narrow page has no column headings. */}
      <span className="sm:hidden">Expires </span>
      <Moment time={expiresAt} />
    </span>
  );
}

/** Unused keys stand out, because they can be revoked. */
export function LastUsed({ apiKey }: { readonly apiKey: ApiKey }) {
  const { lastUsedAt, isStale } = apiKey;
  if (lastUsedAt === null) return <span className="text-quiet">Never used</span>;
  return (
    <span className={isStale ? 'text-late-text' : ''}>
      <Moment time={lastUsedAt} />
    </span>
  );
}
