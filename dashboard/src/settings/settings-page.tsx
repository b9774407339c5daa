/** The display settings of this browser, and the server's data: what it keeps, where and for how long. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../api/access.ts';
import { answered, api } from '../api/client.ts';
import { invalidate, read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import { basePath } from '../api/server-facts.ts';
import { PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Copy } from '../components/text/copy.tsx';
import { useAction } from '../components/use-action.ts';
import { absoluteTime, duration } from '../design/time.ts';
import { setPreference, usePreferences } from '../preferences/preferences.ts';

type SettingsView = components['schemas']['SettingsView'];

const settingsQuery = read.one('/views/settings', {});

export function SettingsPage() {
  const query = useQuery(settingsQuery);
  return (
    <>
      <PageHead title="Settings" />
      <div className="flex max-w-200 flex-col gap-8 px-6 max-sm:px-4">
        <Appearance />
        {query.data ? <Server view={query.data} /> : <Unread of={query} rows={8} />}
      </div>
    </>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="ruled grid min-h-9 grid-cols-[12rem_minmax(0,1fr)] items-center gap-x-4 py-1 max-sm:grid-cols-1">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="inline-flex gap-1">
      <legend className="sr-only">{label}</legend>
      {choices.map(([choice, title]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === value}
          onClick={() => onChange(choice)}
          className="h-(--row-control) rounded-control border border-line px-2.5 text-soft hover:bg-hover aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}

function Appearance() {
  const { theme, density, zone } = usePreferences();
  return (
    <Section title="Appearance" aside="in this browser">
      <dl className="border-t border-line">
        <Row name="Colours">
          <Choice
            label="Colours"
            value={theme}
            choices={[
              ['system', 'As the system'],
              ['light', 'Light'],
              ['dark', 'Dark'],
            ]}
            onChange={(value) => setPreference('theme', value)}
          />
        </Row>
        <Row name="Rows">
          <Choice
            label="Rows"
            value={density}
            choices={[
              ['dense', 'Dense'],
              ['comfortable', 'Larger'],
            ]}
            onChange={(value) => setPreference('density', value)}
          />
        </Row>
        <Row name="Times">
          <span className="flex flex-wrap items-center gap-x-4">
            <Choice
              label="Times"
              value={zone}
              choices={[
                ['local', 'Local'],
                ['utc', 'UTC'],
              ]}
              onChange={(value) => setPreference('zone', value)}
            />
            <span className="tabular text-quiet">{absoluteTime(Date.now())}</span>
          </span>
        </Row>
      </dl>
    </Section>
  );
}

const kinds: Readonly<Record<SettingsView['retention'][number]['kind'], string>> = {
  events: 'Events',
  logs: 'Logs',
  flow_runs: 'Flow runs that have ended',
  orphans: 'Logs and artifacts of deleted runs',
  mcp_requests: 'Records of requests to MCP servers',
};

const access: Readonly<Record<SettingsView['access'], string>> = {
  open: 'Everyone who reaches this server',
  basic: 'Those who know the password',
  key: 'People and programs with an account and a role',
};

function Server({ view }: { readonly view: SettingsView }) {
  const address = new URL('api', document.baseURI).href;
  const { limits } = view;
  return (
    <>
      <Section title="Retention">
        <dl className="border-t border-line">
          {view.retention.map(({ kind, is_deleted, seconds }) => (
            <Row key={kind} name={kinds[kind]}>
              {is_deleted ? (
                seconds === null ? (
                  'deleted'
                ) : (
                  `deleted after ${duration(seconds)}`
                )
              ) : (
                <span className="text-quiet">kept for ever</span>
              )}
            </Row>
          ))}
        </dl>
        <p className="pt-2 text-xs text-quiet">
          Set with <code className="font-mono">SIGNALBOX_RETENTION</code> when the server starts.
        </p>
      </Section>
      <ResultStorage view={view} />
      <Section title="Server">
        <dl className="border-t border-line">
          <Row name="Version">
            Signalbox {view.version}, with the API of Prefect {view.reference_version}
          </Row>
          <Row name="Database">{view.database}</Row>
          <Row name="Who may use it">{access[view.access]}</Row>
          <Row name="Address of the API">
            <span className="inline-flex items-center gap-1 font-mono text-xs">
              {address}
              <Copy text={address} what="address" />
            </span>
          </Row>
          <Row name="Largest page of a list">{limits.page_size.toLocaleString('en')} objects</Row>
          <Row name="Largest parameters of a run">{kilobytes(limits.parameter_bytes)}</Row>
          <Row name="Largest request">{kilobytes(limits.body_bytes)}</Row>
          <Row name="Documentation">
            <span className="flex flex-wrap gap-x-4">
              <a
                href={`${basePath}/help/`}
                className="py-0.5 underline decoration-line underline-offset-4 hover:decoration-ink"
              >
                Guides and reference
              </a>
              <a
                href={`${basePath}/docs`}
                className="py-0.5 underline decoration-line underline-offset-4 hover:decoration-ink"
              >
                API of runs
              </a>
              <a
                href={`${basePath}/api/v0/docs`}
                className="py-0.5 underline decoration-line underline-offset-4 hover:decoration-ink"
              >
                API of people and MCP servers
              </a>
            </span>
          </Row>
        </dl>
      </Section>
    </>
  );
}

function kilobytes(bytes: number): string {
  return bytes >= 1_000_000
    ? `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
    : `${Math.round(bytes / 1000)} kB`;
}

const storageBlocksQuery = (enabled: boolean) =>
  read.one(
    '/block_documents/filter',
    {
      body: {
        block_schemas: { operator: 'and_', block_capabilities: { all_: ['write-path'] } },
        include_secrets: false,
        offset: 0,
        limit: 200,
      },
    },
    { enabled },
  );

function ResultStorage({ view }: { readonly view: SettingsView }) {
  const mayChange = useMay('settings:write');
  const { run, problem } = useAction();
  const { data: blocks = [] } = useQuery(storageBlocksQuery(mayChange));
  const choose = (id: string) => {
    const change = () =>
      id === ''
        ? answered<unknown>(api.DELETE('/admin/storage'))
        : answered<unknown>(api.PUT('/admin/storage', { body: { default_result_storage_block_id: id } }));
    void run(change).finally(() => void invalidate('/views/settings'));
  };
  const { result_storage: chosen } = view;
  return (
    <Section title="Results of flows">
      <dl className="border-t border-line">
        <Row name="Kept with">
          {mayChange ? (
            <select
              aria-label="Block for results"
              className="field w-72 max-w-full"
              value={chosen?.id ?? ''}
              onChange={(event) => choose(event.target.value)}
            >
              <option value="">The machine that runs the flow</option>
              {blocks.map(({ id, name, block_type_name }) => (
                <option key={id} value={id}>
                  {name} ({block_type_name})
                </option>
              ))}
            </select>
          ) : chosen ? (
            <Link to="/blocks/block/$id" params={{ id: chosen.id }} className="hover:underline">
              {chosen.name}
            </Link>
          ) : (
            'The machine that runs the flow'
          )}
        </Row>
      </dl>
      <ProblemNote text={problem} className="pt-2" />
    </Section>
  );
}
