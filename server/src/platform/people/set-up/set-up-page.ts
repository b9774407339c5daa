import { nameField, newPasswordField } from '../../../pages/account-form.ts';
import { complaint, field, type Problems } from '../../../pages/form.ts';
import { type Html, html } from '../../../pages/html.ts';
import { MIN_PASSWORD_LENGTH } from '../sessions/schema.ts';

interface SetUpForm {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly problems?: Problems;
  readonly complaint?: string;
  /** A sentence about what stops working with the account. */
  readonly lost?: string | undefined;
  readonly sendsMail: boolean;
}

export function setUpPage({ name, email, problems = {}, complaint: told, lost, sendsMail }: SetUpForm): Html {
  return html`<h1>Set up Signalbox</h1>
    <p class="quiet">Nobody can sign in yet. This account administers the server and can invite other people.</p>
    ${complaint(told)} ${lost === undefined ? '' : html`<p>${lost}</p>`}
    <form method="post">
      ${nameField({ value: name, problem: problems['name'] })}
      ${field({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        autocomplete: 'username',
        value: email,
        problem: problems['email'],
        hint: sendsMail ? 'You sign in with it.' : 'You sign in with it. Nothing is sent to it.',
        maxLength: 254,
      })}
      ${newPasswordField({ problem: problems['password'], minLength: MIN_PASSWORD_LENGTH })}
      <button type="submit">Create the account</button>
    </form>`;
}

export function deadLinkPage(reason: string): Html {
  return html`<h1>This link does not work</h1>
    <p>${reason}</p>
    <p><a href="/sign-in">Sign in</a></p>`;
}
