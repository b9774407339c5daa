/** The instructions for clients of one server, from any list or page: the address is exact, the key a placeholder. */
import { useQuery } from '@tanstack/react-query';
import { basePath } from '../api/server-facts.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { ClientSnippets } from './connect-client.tsx';
import { entryQuery } from './queries.ts';

interface Props {
  /** Slug of the organization. */
  readonly org: string;
  readonly server: { readonly slug: string; readonly name: string };
  readonly onClose: () => void;
}

export function ConnectDialog({ org, server, onClose }: Props) {
  const query = useQuery(entryQuery(org, server.slug));
  const { data: entry } = query;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={`Connect a client to ${server.name}`}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {entry ? (
        <>
          <ClientSnippets clients={entry.clients} />
          {entry.authentication === 'none' ? null : (
            <p className="text-soft">
              {entry.signIn ? 'Clients sign you in with the browser, or send a key. ' : 'Clients send a key. '}
              <a href={`${basePath}/account/keys`} className="text-accent underline">
                New key
              </a>
            </p>
          )}
        </>
      ) : (
        <Unread of={query} rows={8} />
      )}
    </Dialog>
  );
}
