/** Shows the address and the secret of a webhook once. They are only in the state of the page, until it closes. */
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import type { Issued } from './queries.ts';

export function IssuedDialog({ issued, onClose }: { readonly issued: Issued; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={issued.url === undefined ? `The secret of ${issued.name}` : `The address of ${issued.name}`}
      actions={
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <p className="mb-4 text-soft">
        {issued.url === undefined
          ? 'Senders sign with it. It is shown once.'
          : 'Anyone who knows the address can send to it. It is shown only once, because the server stores no readable copy.'}
      </p>
      {issued.url === undefined ? null : <Snippet title="Address" text={issued.url} />}
      {issued.secret ? <Snippet title="Secret of the signatures, for the sender" text={issued.secret} /> : null}
    </Dialog>
  );
}
