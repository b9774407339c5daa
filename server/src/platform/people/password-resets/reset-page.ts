import { newPasswordField } from '../../../pages/account-form.ts';
import { complaint, field, type Problems } from '../../../pages/form.ts';
import { type Html, html } from '../../../pages/html.ts';
import { counted } from '../../../values/counted.ts';
import { MIN_PASSWORD_LENGTH } from '../sessions/schema.ts';

interface AskForm {
  readonly email?: string | undefined;
  readonly problems?: Problems;
  readonly complaint?: string;
}

export function askPage({ email, problems = {}, complaint: told }: AskForm): Html {
  return html`<h1>Forgotten password</h1>
    <p class="quiet">A link to choose a new password is mailed to the address of your account.</p>
    ${complaint(told)}
    <form method="post">
      ${field({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        autocomplete: 'username',
        value: email,
        problem: problems['email'],
        maxLength: 254,
        focus: true,
      })}
      <button type="submit">Send the link</button>
    </form>
    <p class="small"><a href="/sign-in">Back to the sign-in</a></p>`;
}

/** The page is the same whether or not the address has an account. */
export function askedPage(email: string, minutes: number): Html {
  return html`<h1>Check your mailbox</h1>
    <p>If <strong>${email}</strong> has an account here, a mail with a link is on its way. The link works once, within
      ${counted(minutes, 'minute')}.</p>
    <p class="quiet">No mail? Check the spam folder, or ask an administrator.</p>
    <p><a class="button plain" href="/sign-in">Back to the sign-in</a></p>`;
}

export function newPasswordPage(email: string, problems: Problems): Html {
  return html`<h1>Choose a new password</h1>
    <p>For <strong>${email}</strong>. Other sessions, API keys and devices of this account stop working.</p>
    <form method="post">
      <input type="hidden" name="email" autocomplete="username" value="${email}">
      ${newPasswordField({ problem: problems['password'], minLength: MIN_PASSWORD_LENGTH })}
      <button type="submit">Set the password and sign in</button>
    </form>`;
}

export function deadResetPage(reason: string): Html {
  return html`<h1>This link does not work</h1>
    <p>${reason}</p>
    <p><a class="button" href="/forgotten-password">Ask for a new link</a></p>`;
}

export function noMailPage(reason: string): Html {
  return html`<h1>Forgotten password</h1>
    <p>${reason}</p>
    <p><a href="/sign-in">Back to the sign-in</a></p>`;
}
