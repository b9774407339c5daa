/** Decides whether people use accounts of their own at a server, and how they connect them. */
import { ChoiceField, TextField } from '../../components/form/form-fields.tsx';
import { byLastName, type Part } from '../../components/form/use-form.ts';
import type { Server } from '../queries.ts';

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
  readonly of: Part<PersonalForm>;
  /** True for a server that runs here, which names no authorization server. */
  readonly isHosted: boolean;
}

const kinds = [
  ['none', 'the credential of the gateway'],
  ['key', 'a key of their own'],
  ['oauth', 'a sign-in of their own'],
] as const;

export function PersonalCredentialFields({ of: given, isHosted }: Props) {
  const of = byLastName(given);
  const { kind } = of.values;
  const text = { of, isMono: true } as const;
  return (
    <>
      <ChoiceField
        of={of}
        name="kind"
        label="People use"
        choices={kinds}
        className="w-80 max-w-full"
        error={of.problems.get('')}
        hint="With accounts of their own, each request carries the credential of the person. Service accounts use the credential of the gateway."
      />
      {kind === 'key' ? (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField {...text} name="header" label="Name of the header" placeholder="authorization" />
            <TextField
              {...text}
              name="prefix"
              label="Before the key"
              placeholder="nothing"
              hint="Often “Bearer ”, with the space."
            />
          </div>
          <TextField of={of} name="help" label="Where people get a key" />
        </>
      ) : null}
      {kind === 'oauth' ? (
        <>
          <TextField
            {...text}
            name="authorizationServer"
            label="Authorization server"
            placeholder={isHosted ? 'https://id.example.com' : 'named by the server'}
            hint={isHosted ? 'The issuer at which people sign in.' : 'Leave it empty when the server names it.'}
          />
          <div className="grid gap-4 sm:grid-cols-3">
            <TextField
              {...text}
              name="clientId"
              label="Client id"
              placeholder="registered"
              hint="Empty: the gateway registers itself."
            />
            <TextField
              {...text}
              name="clientSecret"
              label="Client secret"
              type="password"
              hint="Empty: the stored one stays."
            />
            <TextField {...text} name="scope" label="Scope" placeholder="what the server asks for" />
          </div>
        </>
      ) : null}
    </>
  );
}
