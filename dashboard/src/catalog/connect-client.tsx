/** Instructions for the usual clients to reach the server. The key is a placeholder: no key is on this page. */
import { useId, useState } from 'react';
import type { components } from '../api/platform.gen.ts';
import { basePath } from '../api/server-facts.ts';
import { buttonClass } from '../components/button.tsx';
import { Section } from '../components/page.tsx';
import { Snippet } from '../components/text/snippet.tsx';

const elsewhere = { target: '_blank', rel: 'noreferrer' };
const KEPT = 'signalbox.client';

type Schemas = components['schemas'];

/** Stands for a key in the texts of the server. */
const PLACEHOLDER = 'sbx_…';

interface Props {
  readonly server: Pick<Schemas['Server'], 'authentication'>;
  readonly clients: readonly Schemas['ServerClient'][];
}

export function ConnectClient({ server, clients }: Props) {
  return (
    <Section
      title="Connect a client"
      aside={
        server.authentication !== 'none' ? (
          <a href={`${basePath}/account/keys`} className="hover:underline">
            New key
          </a>
        ) : undefined
      }
    >
      <ClientSnippets clients={clients} />
    </Section>
  );
}

interface SnippetsProps {
  readonly clients: readonly Schemas['ServerClient'][];
  /** A key that was just made; it takes the place of the placeholder. */
  readonly secret?: string | undefined;
}

/** One client at a time: what it needs to reach the server. */
export function ClientSnippets({ clients, secret = PLACEHOLDER }: SnippetsProps) {
  const group = useId();
  const [chosen, setChosen] = useState(() => localStorage.getItem(KEPT) ?? 'claude-code');
  const client = clients.find(({ id }) => id === chosen) ?? clients[0];
  if (!client) return null;
  const choose = (id: string) => {
    setChosen(id);
    localStorage.setItem(KEPT, id);
  };
  return (
    <>
      <div className="flex flex-wrap gap-1 pb-3" role="radiogroup" aria-label="Client">
        {clients.map(({ id, title }) => (
          <label
            key={id}
            className="inline-flex h-(--row-control) items-center rounded-control border border-line px-2 text-xs text-soft hover:bg-hover has-checked:border-ink has-checked:bg-selected has-checked:text-ink has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name={group}
              className="sr-only"
              checked={id === client.id}
              onChange={() => choose(id)}
            />
            {title}
          </label>
        ))}
      </div>
      <div className="max-w-180">
        {client.note ? <p className="mb-2 text-soft">{client.note}</p> : null}
        {client.link ? (
          <p className="mb-3">
            <a href={client.link} className={buttonClass()} {...(client.link.startsWith('https:') ? elsewhere : {})}>
              Open in {client.title}
            </a>
          </p>
        ) : null}
        {client.parts.map(({ title, text }) => (
          <Snippet key={title} title={title} text={text.replaceAll(PLACEHOLDER, secret)} />
        ))}
      </div>
    </>
  );
}
