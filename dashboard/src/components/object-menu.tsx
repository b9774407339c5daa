/** The menu behind `…` on the page of an object: its id, its actions as commands, and further items of the page. */
import type { ReactNode } from 'react';
import type { Command } from '../api/command.ts';
import { CommandsDialog } from './commands-dialog.tsx';
import { MenuItem, MoreMenu } from './menu.tsx';

interface ObjectMenuProps {
  /** The id to copy; undefined for an object that people know by its name. */
  readonly id?: string;
  readonly commands: readonly Command[];
  readonly isShowingCommands: boolean;
  readonly onCommands: (isShown: boolean) => void;
  /** Further items. */
  readonly children?: ReactNode;
}

export function ObjectMenu({ id, commands, isShowingCommands, onCommands, children }: ObjectMenuProps) {
  return (
    <>
      <MoreMenu>
        {id === undefined ? null : <MenuItem onSelect={() => void navigator.clipboard.writeText(id)}>Copy id</MenuItem>}
        <MenuItem onSelect={() => onCommands(true)}>As commands…</MenuItem>
        {children}
      </MoreMenu>
      <CommandsDialog isOpen={isShowingCommands} onClose={() => onCommands(false)} commands={commands} />
    </>
  );
}
