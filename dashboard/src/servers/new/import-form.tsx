/** Adds the servers of a file: a `server.json` of the MCP registry, or the settings of an MCP client. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { Organization } from '../../api/access.ts';
import { Problem } from '../../api/problem.ts';
import { invalidate } from '../../api/read.ts';
import { Field } from '../../components/form/form-dialog.tsx';
import { FormSection } from '../../components/form/form-fields.tsx';
import { useForm } from '../../components/form/use-form.ts';
import { Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useAction } from '../../components/use-action.ts';
import { importServer } from '../actions.ts';
import { DefaultRole } from '../policy/default-role.tsx';
import { importPreviewQuery, type Role } from '../queries.ts';
import { emptyDraft, firstChosen, type ImportOffer, missingIn, type OfferDraft, valuesOf } from './import-draft.ts';
import { OfferFields } from './import-offer.tsx';
import { SendRow } from './send-row.tsx';

const EXAMPLE =
  '{\n  "name": "com.example/weather",\n  "version": "1.0.0",\n  "remotes": [{ "type": "streamable-http", "url": "https://…" }]\n}';

/** The person's input for each offer; null if it was deselected. */
type Drafts = Readonly<Record<string, OfferDraft | null>>;

/** The offers of the file, the person's choice among them, and what imports it. */
function useImport(organization: Organization) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [drafts, setDrafts] = useState<Drafts>({});
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState<string>();
  const access = useForm({ defaultRole: '' as Role | '' });
  const action = useAction();
  const read = useDeferredValue(text.trim());
  const { data, error, isFetching } = useQuery(importPreviewQuery(organization.slug, read));
  const offers = (read === '' ? undefined : data?.servers)?.filter(({ from }) => !done.has(from)) ?? [];
  const first = firstChosen(offers);
  const draftOf = ({ from }: ImportOffer) => {
    const said = drafts[from];
    return said === null ? undefined : (said ?? (first.has(from) ? emptyDraft : undefined));
  };
  const chosen = offers.flatMap((offer) => {
    const draft = draftOf(offer);
    return draft ? [{ offer, draft }] : [];
  });
  const lacks = lackOf(read, isFetching, offers, chosen);
  const change = (next: string) => {
    setText(next);
    setDrafts({});
    setDone(new Set());
  };
  const add = () =>
    action.run(async () => {
      for (const { offer, draft } of chosen) {
        setTried(offer.from);
        const made = await importServer(organization.slug, {
          serverJson: read,
          from: offer.from,
          ...(draft.slug === '' ? {} : { slug: draft.slug }),
          defaultRole: access.values.defaultRole || null,
          ...valuesOf(offer, draft),
        });
        setDone((before) => new Set([...before, offer.from]));
        await invalidate('/organizations/{org}/views/servers');
        if (chosen.length > 1) continue;
        const search = made.kind === 'hosted' ? { tab: 'builds' as const } : {};
        void navigate({ to: '/servers/$server', params: { server: made.slug }, search });
      }
      if (chosen.length > 1) void navigate({ to: '/servers' });
    });
  return {
    text,
    change,
    read,
    error,
    offers,
    draftOf,
    drafts,
    setDrafts,
    tried,
    chosen,
    lacks,
    done,
    add,
    access,
    action,
  };
}

export function ImportForm({ organization }: { readonly organization: Organization }) {
  const form = useImport(organization);
  const { text, read, error, offers, draftOf, drafts, tried, chosen, done, access, action } = form;
  return (
    <form
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        void form.add();
      }}
    >
      <FormSection title="File">
        <Field
          label="Content of the file"
          error={read !== '' && error ? problemOf(error) : undefined}
          hint="A server.json, the answer of a registry, or the settings of an MCP client: mcp.json, claude_desktop_config.json. A server with an address becomes an external one, a package of npm or PyPI a hosted one."
        >
          <textarea
            className="field min-h-48 font-mono text-xs"
            spellCheck={false}
            placeholder={EXAMPLE}
            value={text}
            onChange={(event) => form.change(event.target.value)}
          />
        </Field>
        <Field label="Or choose one">
          <input
            type="file"
            accept=".json,.jsonc,application/json"
            onChange={(event) => void event.target.files?.[0]?.text().then(form.change)}
          />
        </Field>
      </FormSection>
      {offers.length > 0 ? (
        <Section title={offers.length === 1 ? 'Server' : 'Servers'}>
          <ul>
            {offers.map((offer) => (
              <OfferFields
                key={offer.from}
                offer={offer}
                org={organization.slug}
                draft={draftOf(offer)}
                isChoice={offers.length > 1}
                errors={offer.from === tried ? action.fields : new Map()}
                onChange={(draft) => form.setDrafts({ ...drafts, [offer.from]: draft ?? null })}
              />
            ))}
          </ul>
        </Section>
      ) : null}
      <Section title="Access">
        <div className="border-t border-line pt-3">
          <DefaultRole of={access} />
        </div>
      </Section>
      <SendRow
        label={action.isBusy ? 'Adding' : chosen.length > 1 ? `Import ${chosen.length} servers` : 'Import the server'}
        isBusy={action.isBusy}
        lack={form.lacks}
      />
      <ProblemNote text={action.problem} />
      {done.size > 0 && action.problem ? (
        <p className="text-soft">
          {done.size} {done.size === 1 ? 'server was' : 'servers were'} added.
        </p>
      ) : null}
    </form>
  );
}

interface Chosen {
  readonly offer: ImportOffer;
  readonly draft: OfferDraft;
}

/** The reason why the form cannot be sent yet. */
function lackOf(
  text: string,
  isFetching: boolean,
  offers: readonly ImportOffer[],
  chosen: readonly Chosen[],
): string | undefined {
  if (text === '') return 'It needs the content of a file';
  if (offers.length === 0) return isFetching ? 'The file is being read' : 'This file cannot be imported';
  if (chosen.length === 0) return 'No server is chosen';
  const missing = chosen.map(({ offer, draft }) => missingIn(offer, draft)).find((name) => name !== undefined);
  return missing && `${missing} is needed`;
}

function problemOf(error: Error): string {
  return (error instanceof Problem && error.fields[0]?.message) || error.message;
}
