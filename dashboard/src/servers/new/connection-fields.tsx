/** The address of an external server and the gateway's credential there, with a test of both. */

import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ChoiceField, TextField } from '../../components/form/form-fields.tsx';
import { byLastName, type Part, partOf, useForm } from '../../components/form/use-form.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { milliseconds } from '../../design/figures.ts';
import { StateLabel } from '../../design/state-mark.tsx';
import { type ConnectionTestResult, testConnection } from '../actions.ts';
import type { Server } from '../queries.ts';
import { type ConnectionForm, credentialKinds, credentialOf, keepsCredential } from './connection-form.ts';
import { HeadersFields } from './headers-fields.tsx';

interface Props {
  readonly org: string;
  readonly of: Part<ConnectionForm>;
  /** The stored server, whose secret is used until a new one is typed. */
  readonly stored: Pick<Server, 'slug' | 'external'> | null;
}

export function ConnectionFields({ org, of, stored }: Props) {
  const [result, setResult] = useState<ConnectionTestResult>();
  const tried = useForm({ external: of.values }, 'stacked', ['external']);
  const form = byLastName({
    ...of,
    problems: new Map([...of.problems, ...partOf(tried, 'external').problems]),
    set: (part: Partial<ConnectionForm>) => {
      setResult(undefined);
      of.set({ ...part, ...(part.credential ? { secret: '' } : {}) });
    },
  });
  const { url, credential } = form.values;
  const test = () =>
    tried.send(async () => {
      setResult(undefined);
      const keeps = stored !== null && keepsCredential(form.values, stored.external);
      const external = { url, ...(keeps ? {} : { credential: credentialOf(form.values) }) };
      setResult(await testConnection(org, external, stored?.slug ?? null));
    });
  const text = { of: form, isMono: true } as const;
  return (
    <>
      <TextField
        {...text}
        name="url"
        label="URL"
        placeholder="https://mcp.example.com/mcp"
        hint="Where the server speaks MCP over HTTP."
      />
      <ChoiceField
        of={form}
        name="credential"
        label="Credential of the gateway"
        choices={credentialKinds}
        className="w-64"
        hint="The gateway sends it to the server, and never the key of a caller. It is encrypted at rest."
      />
      {credential === 'header' ? (
        <TextField {...text} name="name" label="Name of the header" placeholder="X-API-Key" />
      ) : null}
      {credential === 'headers' ? (
        <HeadersFields of={{ ...form, problems: headersIn(form.problems) }} isStored={stored !== null} />
      ) : null}
      {credential === 'client_credentials' ? (
        <>
          <TextField
            {...text}
            name="tokenUrl"
            label="URL of the token"
            placeholder="https://id.example.com/oauth/token"
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField {...text} name="clientId" label="Client id" />
            <TextField {...text} name="scope" label="Scope" placeholder="none" />
          </div>
        </>
      ) : null}
      {credential === 'none' || credential === 'headers' ? null : (
        <TextField
          {...text}
          name="secret"
          label={credential === 'client_credentials' ? 'Client secret' : 'Secret'}
          type="password"
          hint={stored === null ? undefined : 'Leave it empty to keep the stored one.'}
        />
      )}
      <div>
        <Button
          disabled={tried.isBusy || url === ''}
          title={url === '' ? 'Enter the URL first' : undefined}
          onClick={() => void test()}
        >
          {tried.isBusy ? 'Asking the server' : 'Test the connection'}
        </Button>
        <ProblemNote text={tried.problem} />
        {result ? <TestResult result={result} /> : null}
      </div>
    </>
  );
}

/** The server has the kind of the credential in the path of its fields. */
function headersIn(problems: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const path = 'credential.headers.';
  return new Map(
    [...problems].flatMap(([name, text]) => (name.startsWith(path) ? [[name.slice(path.length), text]] : [])),
  );
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
