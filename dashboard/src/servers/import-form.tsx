/** Adds a server from a `server.json` of the MCP registry: an external one, or a hosted one of a package. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button, buttonClass } from '../components/button.tsx';
import { Section } from '../components/page.tsx';
import { importServer } from './actions.ts';
import { DefaultRole } from './default-role.tsx';
import { Field } from './field.tsx';
import type { Organization } from './organization.tsx';
import { ProblemNote } from './problem-note.tsx';
import type { Role } from './queries.ts';
import { type Asked, askedBy, parseRegistryFile } from './registry-file.ts';
import { useAction } from './use-action.ts';

const EXAMPLE =
  '{\n  "name": "com.example/weather",\n  "version": "1.0.0",\n  "remotes": [{ "type": "streamable-http", "url": "https://…" }]\n}';

export function ImportForm({ organization }: { readonly organization: Organization }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [slug, setSlug] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [defaultRole, setDefaultRole] = useState<Role | null>(null);
  const action = useAction();
  const file = useMemo(() => parseRegistryFile(text), [text]);
  const asked = useMemo(() => (file ? askedBy(file) : []), [file]);
  const entered = (one: Asked) => values[keyOf(one)] ?? one.first;
  const given = (of: Asked['of']) =>
    Object.fromEntries(
      asked.filter((one) => one.of === of && entered(one) !== '').map((one) => [one.name, entered(one)]),
    );
  const missing = asked.find((one) => one.isRequired && entered(one) === '');
  const lacks = file ? missing && `${missing.name} is needed` : 'It needs the content of a server.json';
  const add = () =>
    action.run(async () => {
      if (!file) return;
      const made = await importServer(organization.slug, {
        serverJson: file,
        ...(slug === '' ? {} : { slug }),
        defaultRole,
        variables: given('variables'),
        headers: given('headers'),
        environment: given('environment'),
        arguments: given('arguments'),
      });
      await queries.invalidateQueries({ queryKey: ['servers'] });
      void navigate({
        to: '/servers/$server',
        params: { server: made.slug },
        search: made.kind === 'hosted' ? { tab: 'builds' } : {},
      });
    });
  return (
    <form
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Section title="File">
        <div className="flex flex-col gap-4 border-t border-line pt-3">
          <Field
            title="server.json"
            error={text.trim() !== '' && !file ? 'This is not a server.json: it must be JSON with a name.' : undefined}
            hint="Or the entry of a registry's API. A server with an address becomes an external one, a package of npm or PyPI a hosted one."
          >
            <textarea
              className="field min-h-48 font-mono text-xs"
              spellCheck={false}
              placeholder={EXAMPLE}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <Field title="From a file">
            <input
              type="file"
              accept=".json,application/json"
              onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
            />
          </Field>
          <Field
            title="Slug"
            error={action.fields.get('slug')}
            hint={`Clients connect to /servers/${organization.slug}/${slug || '…'}/mcp. Made from the name when it is empty.`}
          >
            <input
              className="field w-64 font-mono text-xs"
              value={slug}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setSlug(event.target.value)}
            />
          </Field>
        </div>
      </Section>
      {asked.length > 0 ? (
        <Section title="Values">
          <div className="flex flex-col gap-4 border-t border-line pt-3">
            {asked.map((one) => (
              <Value
                key={keyOf(one)}
                asked={one}
                value={entered(one)}
                error={action.fields.get(keyOf(one))}
                onChange={(value) => setValues({ ...values, [keyOf(one)]: value })}
              />
            ))}
          </div>
        </Section>
      ) : null}
      <Section title="Access">
        <div className="border-t border-line pt-3">
          <DefaultRole value={defaultRole} onChange={setDefaultRole} />
        </div>
      </Section>
      <div className="flex flex-wrap items-center gap-3">
        <Button kind="primary" type="submit" disabled={action.isBusy || lacks !== undefined} title={lacks}>
          {action.isBusy ? 'Adding it' : 'Import the server'}
        </Button>
        <Link to="/servers" className={buttonClass('quiet')}>
          Cancel
        </Link>
        {lacks ? <span className="text-xs text-quiet">{lacks}.</span> : null}
      </div>
      <ProblemNote text={action.problem} />
    </form>
  );
}

/** As the answer names the field. */
function keyOf({ of, name }: Asked): string {
  return `${of}.${name}`;
}

const KINDS: Readonly<Record<Asked['of'], string>> = {
  variables: '',
  headers: 'Header ',
  environment: 'Variable ',
  arguments: 'Argument ',
};

interface ValueProps {
  readonly asked: Asked;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Value({ asked, value, error, onChange }: ValueProps) {
  const { name, of, description, isRequired, isSecret, choices } = asked;
  const title = `${KINDS[of]}${name}${isRequired ? '' : ' (optional)'}`;
  return (
    <Field title={title} hint={description} error={error}>
      {choices.length > 0 ? (
        <select className="field w-64" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">Choose</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          className="field"
          type={isSecret ? 'password' : 'text'}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
