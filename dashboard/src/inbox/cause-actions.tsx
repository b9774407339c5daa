/** The acts on a cause: resolve it, mute it, take it over. */
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useAccess, useOrganization } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useAction } from '../components/use-action.ts';
import type { Cause } from './cause.ts';
import { type CauseChange, changeCause, ownersQuery } from './queries.ts';

const HOUR = 3_600_000;
const times: readonly (readonly [string, number])[] = [
  ['For a day', 24 * HOUR],
  ['For a week', 7 * 24 * HOUR],
  ['For 30 days', 30 * 24 * HOUR],
];
const counts = [10, 100, 1000] as const;

export function CauseActions({ cause }: { readonly cause: Cause }) {
  const action = useAction();
  const change = (part: CauseChange, done: string) => void action.run(() => changeCause(cause, part), done);
  const { standing } = cause;
  return (
    <>
      <Button
        kind={standing === 'resolved' ? 'plain' : 'primary'}
        disabled={action.isBusy}
        onClick={() =>
          standing === 'resolved' ? change({ resolved: false }, 'Reopened') : change({ resolved: true }, 'Resolved')
        }
      >
        {standing === 'resolved' ? 'Reopen' : 'Resolve'}
      </Button>
      {standing === 'muted' ? (
        <Button disabled={action.isBusy} onClick={() => change({ mutedUntil: null }, 'No longer muted')}>
          End muting
        </Button>
      ) : standing === 'resolved' ? null : (
        <MuteMenu isBusy={action.isBusy} change={change} />
      )}
      <OwnerMenu cause={cause} isBusy={action.isBusy} change={change} />
      <ProblemNote text={action.problem} />
    </>
  );
}

interface MenuProps {
  readonly isBusy: boolean;
  readonly change: (part: CauseChange, done: string) => void;
}

function MuteMenu({ isBusy, change }: MenuProps) {
  return (
    <Menu
      trigger={
        <Button disabled={isBusy}>
          Mute <ChevronDown size={13} />
        </Button>
      }
    >
      <MenuGroup title="Until a time">
        {times.map(([title, length]) => (
          <MenuItem
            key={title}
            onSelect={() =>
              change({ mutedUntil: new Date(Date.now() + length).toISOString() }, `Muted ${title.toLowerCase()}`)
            }
          >
            {title}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuGroup title="Until it fails more often">
        {counts.map((count) => (
          <MenuItem key={count} onSelect={() => change({ mutedFor: count }, `Muted for ${count} failures`)}>
            {count.toLocaleString('en')} times more
          </MenuItem>
        ))}
      </MenuGroup>
    </Menu>
  );
}

/** Without people there are no owners. */
function OwnerMenu({ cause, isBusy, change }: MenuProps & { readonly cause: Cause }) {
  const user = useAccess()?.user;
  const organization = useOrganization(cause.org);
  const { data } = useQuery({
    ...ownersQuery(organization?.slug ?? ''),
    enabled: organization !== undefined,
  });
  if (!user || !organization) return null;
  const others = (data?.items ?? []).filter(({ id }) => id !== user.id && id !== cause.owner?.id);
  const isOwn = cause.owner?.id === user.id;
  return (
    <Menu
      trigger={
        <Button disabled={isBusy}>
          {cause.owner ? `Owner: ${cause.owner.name}` : 'Owner'} <ChevronDown size={13} />
        </Button>
      }
    >
      {isOwn ? null : <MenuItem onSelect={() => change({ ownerId: user.id }, 'You own it')}>Take it over</MenuItem>}
      {cause.owner ? (
        <MenuItem onSelect={() => change({ ownerId: null }, 'It has no owner')}>Remove the owner</MenuItem>
      ) : null}
      {others.length > 0 ? <MenuSeparator /> : null}
      {others.map(({ id, name, email }) => (
        <MenuItem key={id} onSelect={() => change({ ownerId: id }, `${name ?? email} owns it`)}>
          {name ?? email}
        </MenuItem>
      ))}
    </Menu>
  );
}
