/** The actions on an object as commands of the Prefect client and of curl. */
import type { Command } from '../api/command.ts';
import { Dialog } from './dialog.tsx';
import { Snippet } from './text/snippet.tsx';

export interface CommandsDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly commands: readonly Command[];
}

export function CommandsDialog({ isOpen, onClose, commands }: CommandsDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="As commands" width="wide">
      {commands.flatMap(({ title, texts }) =>
        texts.map((text) => {
          const name = text.startsWith('curl') ? `${title}, with curl` : title;
          return <Snippet key={name} title={name} text={text} />;
        }),
      )}
    </Dialog>
  );
}
