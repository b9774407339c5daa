/** The parts that the forms about accounts share. */
import { csrfField, field } from './form.ts';
import { type Html, html } from './html.ts';

interface Typed {
  readonly value?: string | undefined;
  readonly problem: string | undefined;
  readonly optional?: boolean;
}

/** The first field of a form that makes an account. */
export function nameField(typed: Typed): Html {
  return field({
    ...typed,
    name: 'name',
    label: 'Your name',
    type: 'text',
    autocomplete: 'name',
    maxLength: 200,
    focus: true,
  });
}

export function newPasswordField({ problem, minLength }: { problem: string | undefined; minLength: number }): Html {
  return field({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    problem,
    hint: `At least ${minLength} characters. Longer is stronger.`,
    minLength,
  });
}

/** The button for the sign-in with an identity provider, if there is one, above the form that it replaces. */
export function providerButton(
  provider: { readonly address: string; readonly label: string } | undefined,
  otherwise: string,
): Html | undefined {
  return (
    provider &&
    html`<p><a class="button plain" href="${provider.address}">Sign in with ${provider.label}</a></p>
        <div class="or">${otherwise}</div>`
  );
}

export function signOutForm(csrfToken: string): Html {
  return html`<form method="post" action="/sign-out">${csrfField(csrfToken)}<button class="plain" type="submit">Sign out</button></form>`;
}
