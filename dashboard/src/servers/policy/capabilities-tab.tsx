/** The capabilities of the server, and the roles that may use them. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/text/code-block.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { MOST_TO_READ, shortened } from '../../components/text/shortened.ts';
import { Some } from '../../components/use-some.tsx';
import { type Capability, capabilitiesIn } from '../capability.ts';
import { type PolicyPreview, policyQuery, previewQuery } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';

const route = getRouteApi('/servers/$server');

const groups = [
  ['tool', 'Tools'],
  ['resource', 'Resources'],
  ['prompt', 'Prompts'],
] as const;

export function CapabilitiesTab({ organization, view }: TabProps) {
  const { server, capabilities } = view;
  const [wanted, setWanted] = useState('');
  const path = { org: organization.slug, server: server.slug };
  const isAdministrator = server.role === 'admin';
  const { data: policy } = useQuery({ ...policyQuery(path), enabled: isAdministrator });
  const { data: preview } = useQuery({
    ...previewQuery(path, policy?.rules.map(({ id: _, ...rule }) => rule) ?? [], null),
    enabled: policy !== undefined,
  });
  const all = capabilitiesIn(capabilities);
  if (all.length === 0) {
    return (
      <p className="py-4 text-soft">
        {server.manifestReadAt
          ? 'The server offers nothing that you may use.'
          : (server.manifestError ?? 'The server has not been checked yet.')}
      </p>
    );
  }
  const matching = all.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <input
          data-filter
          type="search"
          aria-label="Capabilities that contain"
          placeholder="Name or description"
          className="field w-64"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        <span className="text-xs text-quiet">
          Last checked <Moment time={capabilities?.readAt} />
          {policy && policy.rules.length === 0 ? ' · no policy: everyone with a role may use all of it' : null}
        </span>
      </div>
      {capabilities?.instructions ? (
        <Section title="Instructions of the server">
          <p className="max-w-180 whitespace-pre-wrap text-soft">
            {shortened(capabilities.instructions, MOST_TO_READ)}
          </p>
        </Section>
      ) : null}
      {groups.map(([kind, title]) => {
        const shown = matching.filter((one) => one.kind === kind);
        return shown.length === 0 ? null : (
          <Section key={kind} title={title} aside={shown.length}>
            <ul className="border-t border-line">
              <Some of={shown} as="li">
                {(one) => <CapabilityRow key={one.name} capability={one} preview={preview} canTry={kind === 'tool'} />}
              </Some>
            </ul>
          </Section>
        );
      })}
      {matching.length === 0 ? <p className="py-4 text-soft">No capability matches “{wanted}”.</p> : null}
    </div>
  );
}

interface RowProps {
  readonly capability: Capability;
  readonly preview: PolicyPreview | undefined;
  readonly canTry: boolean;
}

function CapabilityRow({ capability, preview, canTry }: RowProps) {
  const { kind, name, title, description, schemas } = capability;
  const search = route.useSearch();
  const isOpen = search.name === name;
  const effect = preview?.capabilities.find((one) => one.capability === kind && one.name === name);
  return (
    <li className="ruled py-1">
      <div className="grid min-h-6 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4">
        <Link
          from="/servers/$server"
          to="/servers/$server"
          search={(old) => ({ ...old, name: isOpen ? undefined : name })}
          resetScroll={false}
          aria-expanded={isOpen}
          className="flex min-w-0 items-center gap-2"
        >
          <ChevronRight size={13} className={`shrink-0 text-quiet ${isOpen ? 'rotate-90' : ''}`} aria-hidden="true" />
          <span className="max-w-[60%] shrink-0 truncate font-mono text-xs font-medium">{name}</span>
          <span className="truncate text-soft">{shortened(title ?? description ?? '')}</span>
        </Link>
        {effect ? (
          <span className="text-xs text-quiet">
            {[effect.editor.allowed && 'editors', effect.viewer.allowed && 'viewers'].filter(Boolean).join(', ') ||
              'administrators only'}
          </span>
        ) : null}
      </div>
      {isOpen ? (
        <div className="mt-1 mb-2 flex flex-col gap-3 pl-5">
          {description ? (
            <p className="max-w-180 whitespace-pre-wrap text-soft">{shortened(description, MOST_TO_READ)}</p>
          ) : null}
          {schemas.map(({ title: of, json }) => (
            <div key={of}>
              <p className="text-xs text-quiet">{of}</p>
              <CodeBlock
                label={`${of} of ${name}`}
                text={json}
                className="max-h-80 overflow-y-auto rounded-control border border-line bg-surface p-2"
              />
            </div>
          ))}
          {canTry ? (
            <Link
              from="/servers/$server"
              to="/servers/$server"
              search={{ tab: 'try', name }}
              className="self-start text-accent hover:underline"
            >
              Try this tool
            </Link>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}
