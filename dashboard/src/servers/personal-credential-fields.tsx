/** Decides whether people use accounts of their own at a server, and how they connect them. */
import { Field } from './field.tsx';
import type { Server } from './queries.ts';

export interface PersonalForm {
  readonly kind: 'none' | 'key' | 'oauth';
  readonly header: string;
  readonly prefix: string;
  readonly help: string;
  readonly authorizationServer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

const empty: PersonalForm = {
  kind: 'none',
  header: 'authorization',
  prefix: 'Bearer ',
  help: '',
  authorizationServer: '',
  clientId: '',
  clientSecret: '',
  scope: '',
};

/** Has no client secret, because no answer contains it. */
export function personalFormOf(stored: Server['personalCredential']): PersonalForm {
  if (stored === null) return empty;
  if (stored.kind === 'key') return { ...empty, ...stored };
  const { authorizationServer, clientId, scope } = stored;
  return {
    ...empty,
    kind: 'oauth',
    authorizationServer: authorizationServer ?? '',
    clientId: clientId ?? '',
    scope: scope ?? '',
  };
}

export function personalCredentialOf(form: PersonalForm) {
  const { kind, header, prefix, help, authorizationServer, clientId, clientSecret, scope } = form;
  if (kind === 'none') return null;
  if (kind === 'key') return { kind, header, prefix, help };
  return {
    kind,
    authorizationServer: authorizationServer || null,
    clientId: clientId || null,
    scope: scope || null,
    ...(clientSecret === '' ? {} : { clientSecret }),
  };
}

interface Props {
  readonly form: PersonalForm;
  readonly onChange: (form: PersonalForm) => void;
  /** Problems by the field of the request. */
  readonly errors: ReadonlyMap<string, string>;
  /** True for a server that runs here, which names no authorization server. */
  readonly isHosted: boolean;
}

export function PersonalCredentialFields({ form, onChange, errors, isHosted }: Props) {
  const change = (part: Partial<PersonalForm>) => onChange({ ...form, ...part });
  const text = (key: keyof PersonalForm, placeholder: string, type = 'text') => (
    <input
      className="field font-mono text-xs"
      type={type}
      value={form[key]}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete={type === 'password' ? 'new-password' : 'off'}
      onChange={(event) => change({ [key]: event.target.value })}
    />
  );
  return (
    <>
      <Field
        title="People use"
        error={errors.get('personalCredential')}
        hint="With accounts of their own, each request carries the credential of the person. Service accounts use the credential of the gateway."
      >
        <select
          className="field w-80 max-w-full"
          value={form.kind}
          onChange={(event) => change({ kind: event.target.value as PersonalForm['kind'] })}
        >
          <option value="none">the credential of the gateway</option>
          <option value="key">a key of their own</option>
          <option value="oauth">a sign-in of their own</option>
        </select>
      </Field>
      {form.kind === 'key' ? (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field title="Name of the header" error={fieldOf(errors, 'header')}>
              {text('header', 'authorization')}
            </Field>
            <Field title="Before the key" error={fieldOf(errors, 'prefix')} hint="Often “Bearer ”, with the space.">
              {text('prefix', 'nothing')}
            </Field>
          </div>
          <Field title="Where people get a key" error={fieldOf(errors, 'help')}>
            <input className="field" value={form.help} onChange={(event) => change({ help: event.target.value })} />
          </Field>
        </>
      ) : null}
      {form.kind === 'oauth' ? (
        <>
          <Field
            title="Authorization server"
            error={fieldOf(errors, 'authorizationServer')}
            hint={isHosted ? 'The issuer at which people sign in.' : 'Leave it empty when the server names it.'}
          >
            {text('authorizationServer', isHosted ? 'https://id.example.com' : 'named by the server')}
          </Field>
          <div className="grid gap-4 sm:grid-cols-3">
            <Field title="Client id" error={fieldOf(errors, 'clientId')} hint="Empty: the gateway registers itself.">
              {text('clientId', 'registered')}
            </Field>
            <Field title="Client secret" error={fieldOf(errors, 'clientSecret')} hint="Empty: the stored one stays.">
              {text('clientSecret', '', 'password')}
            </Field>
            <Field title="Scope" error={fieldOf(errors, 'scope')}>
              {text('scope', 'what the server asks for')}
            </Field>
          </div>
        </>
      ) : null}
    </>
  );
}

/** A credential has one of several shapes: the server may include the shape in the path of the field. */
function fieldOf(errors: ReadonlyMap<string, string>, name: string): string | undefined {
  for (const [field, message] of errors) {
    if (field.startsWith('personalCredential') && field.endsWith(`.${name}`)) return message;
  }
  return undefined;
}
