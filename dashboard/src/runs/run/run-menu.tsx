/** The menu of a flow run and of a task run. */
import type { ReactNode } from 'react';
import { MenuItem, MenuSeparator, MoreMenu } from '../../components/menu.tsx';

interface Props {
  readonly id: string;
  readonly mayChange: boolean;
  readonly onAsk: (question: 'state' | 'commands' | 'delete') => void;
  /** Further changes, before those of both kinds. */
  readonly changes?: ReactNode;
  /** Further items for every reader. */
  readonly children?: ReactNode;
}

export function RunMenu({ id, mayChange, onAsk, changes, children }: Props) {
  return (
    <MoreMenu>
      {mayChange ? (
        <>
          {changes}
          <MenuItem onSelect={() => onAsk('state')}>Change the state…</MenuItem>
          <MenuSeparator />
        </>
      ) : null}
      {children}
      <MenuItem onSelect={() => void navigator.clipboard.writeText(id)}>Copy id</MenuItem>
      <MenuItem onSelect={() => onAsk('commands')}>As commands…</MenuItem>
      {mayChange ? (
        <>
          <MenuSeparator />
          <MenuItem isDangerous onSelect={() => onAsk('delete')}>
            Delete…
          </MenuItem>
        </>
      ) : null}
    </MoreMenu>
  );
}
