import { complaint, csrfField, field } from '../../../pages/form.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { WaitingDevice } from './schema.ts';

export function codePage(typed: string | undefined, told: string | undefined): Html {
  return html`<h1>Connect a device</h1>
    <p class="quiet">Type the code that the device or terminal shows.</p>
    ${complaint(told)}
    <form method="get" action="/oauth/device">
      ${field({
        name: 'user_code',
        label: 'Code',
        type: 'text',
        autocomplete: 'off',
        value: typed,
        maxLength: 20,
        className: 'code',
        focus: true,
      })}
      <button type="submit">Continue</button>
    </form>`;
}

export function approvalPage(device: WaitingDevice, email: string, csrfToken: string): Html {
  const rows = [
    ['Device', device.deviceName],
    ['Platform', device.platform],
    ['Program', device.client],
    ['Asked from', device.address],
    ['Asked at', `${device.askedAt.slice(0, 16).replace('T', ' ')} UTC`],
  ];
  return html`<h1>Connect ${device.deviceName ?? 'a device'}?</h1>
    <p>It shows this code, if it is yours:</p>
    <p class="user-code">${device.userCode}</p>
    <dl>${rows.map(([name = '', value]) => (value ? html`<dt>${name}</dt><dd>${value}</dd>` : html``))}</dl>
    <p>It will get an API key and act as <strong>${email}</strong>. Refuse when you did not start this yourself, or
      when somebody sent you the code.</p>
    <form method="post" action="/oauth/device">
      ${csrfField(csrfToken)}
      <input type="hidden" name="user_code" value="${device.userCode}">
      <div class="choice">
        <button class="plain" type="submit" name="decision" value="deny">Refuse</button>
        <button type="submit" name="decision" value="approve">Approve</button>
      </div>
    </form>`;
}

export function decidedPage(isApproved: boolean): Html {
  return isApproved
    ? html`<h1>Approved</h1>
        <p class="notice good" role="status">The device receives its key now. You can close this window.</p>`
    : html`<h1>Refused</h1>
        <p class="notice bad" role="status">The device gets no key. You can close this window.</p>`;
}
