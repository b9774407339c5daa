/** The address of an external server and the gateway's credential there, with a test of both. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useAction } from '../components/use-action.ts';
import { milliseconds } from '../design/figures.ts';
import { StateLabel } from '../design/state-mark.tsx';
import { type ConnectionTestResult, testConnection } from './actions.ts';
import {
  type ConnectionForm,
  type CredentialKind,
  credentialKinds,
  credentialOf,
  keepsCredential,
} from './connection-form.ts';
import { Field } from './field.tsx';
import { HeadersFields } from './headers-fields.tsx';
import type { Server } from './queries.ts';

interface Props {
  readonly org: string;
  readonly form: ConnectionForm;
  readonly onChange: (form: ConnectionForm) => void;
  /** Problems by the field of the request. */
  readonly errors: ReadonlyMap<string, string>;
  /** The stored server, whose secret is used until a new one is typed. */
  readonly stored: Pick<Server, 'slug' | 'external'> | null;
}

export function ConnectionFields({ org, form, onChange, errors, stored }: Props) {
  const [result, setResult] = useState<ConnectionTestResult>();
  const action = useAction();
  const all = new Map([...errors, ...action.fields]);
  const change = (part: Partial<ConnectionForm>) => {
    setResult(undefined);
    onChange({ ...form, ...part });
  };
  const test = () =>
    action.run(async () => {
      setResult(undefined);
      const keeps = stored !== null && keepsCredential(form, stored.external);
      const external = { url: form.url, ...(keeps ? {} : { credential: credentialOf(form) }) };
      setResult(await testConnection(org, external, stored?.slug ?? null));
    });
  const text = (key: Exclude<keyof ConnectionForm, 'headers'>, placeholder: string) => (
    <input
      className="field font-mono text-xs"
      value={form[key]}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => change({ [key]: event.target.value })}
    />
  );
  return (
    <>
      <Field title="URL" error={all.get('external.url')} hint="Where the server speaks MCP over HTTP.">
        {text('url', 'https://mcp.example.com/mcp')}
      </Field>
      <Field
        title="Credential of the gateway"
        error={all.get('external.credential')}
        hint="The gateway sends it to the server, and never the key of a caller. It is encrypted at rest."
      >
        <select
          className="field w-64"
          value={form.kind}
          onChange={(event) => change({ kind: event.target.value as CredentialKind, secret: '' })}
        >
          {credentialKinds.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      </Field>
      {form.kind === 'header' ? (
        <Field title="Name of the header" error={fieldOf(all, 'name')}>
          {text('header', 'X-API-Key')}
        </Field>
      ) : null}
      {form.kind === 'headers' ? (
        <HeadersFields
          headers={form.headers}
          error={(field) => all.get(`external.credential.headers.${field}`)}
          isStored={stored !== null}
          onChange={(headers) => change({ headers })}
        />
      ) : null}
      {form.kind === 'client_credentials' ? (
        <>
          <Field title="URL of the token" error={fieldOf(all, 'tokenUrl')}>
            {text('tokenUrl', 'https://id.example.com/oauth/token')}
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field title="Client id" error={fieldOf(all, 'clientId')}>
              {text('clientId', '')}
            </Field>
            <Field title="Scope" error={fieldOf(all, 'scope')}>
              {text('scope', 'none')}
            </Field>
          </div>
        </>
      ) : null}
      {form.kind === 'none' || form.kind === 'headers' ? null : (
        <Field
          title={form.kind === 'client_credentials' ? 'Client secret' : 'Secret'}
          error={fieldOf(all, 'secret')}
          hint={stored === null ? undefined : 'Leave it empty to keep the stored one.'}
        >
          <input
            type="password"
            className="field font-mono text-xs"
            value={form.secret}
            autoComplete="new-password"
            onChange={(event) => change({ secret: event.target.value })}
          />
        </Field>
      )}
      <div>
        <Button
          disabled={action.isBusy || form.url === ''}
          title={form.url === '' ? 'Enter the URL first' : undefined}
          onClick={() => void test()}
        >
          {action.isBusy ? 'Asking the server' : 'Test the connection'}
        </Button>
        {action.fields.size === 0 ? <ProblemNote text={action.problem} /> : null}
        {result ? <TestResult result={result} /> : null}
      </div>
    </>
  );
}

/** A credential has one of several shapes: the server may include the shape in the path of the field. */
function fieldOf(errors: ReadonlyMap<string, string>, name: string): string | undefined {
  for (const [field, message] of errors) {
    if (field.startsWith('external.credential') && field.endsWith(`.${name}`)) return message;
  }
  return undefined;
}

function TestResult({ result }: { readonly result: ConnectionTestResult }) {
  const { error, serverInfo, tools, resources, prompts, eras, durationMicroseconds } = result;
  const { name, version } = (serverInfo ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  if (error !== null) {
    return (
      <div role="status" className="mt-3">
        <StateLabel kind="FAILED" name="It did not work" />
        <p className="mt-1 max-w-160 whitespace-pre-wrap text-failed-text">{error}</p>
      </div>
    );
  }
  return (
    <div role="status" className="mt-3">
      <StateLabel kind="COMPLETED" name="It answers" />
      <p className="mt-1 text-soft">
        {[name, version].filter((part) => typeof part === 'string').join(' ') || 'An MCP server'} answered in{' '}
        {milliseconds(durationMicroseconds)}, with {tools.length} tools, {resources.length} resources and{' '}
        {prompts.length} prompts; it speaks{' '}
        {eras.map((era) => (era === 'modern' ? '2026-07-28' : 'revisions with sessions')).join(' and ')}.
      </p>
      {tools.length > 0 ? (
        <p className="mt-1 max-w-160 truncate font-mono text-xs text-quiet" title={tools.join(', ')}>
          {tools.join(', ')}
        </p>
      ) : null}
    </div>
  );
}
