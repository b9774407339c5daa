/**
 * Signs a terminal in with the browser: `prefect cloud login` listens on this machine and opens a page of this server,
 * whose script sends it a key. Source: the browser login of `prefect cloud login` in the Prefect client 3.9.1.
 */
import { csrfField } from '../../../pages/form.ts';
import { type Html, html } from '../../../pages/html.ts';

export function terminalPage(callback: string, email: string, csrfToken: string): Html {
  return html`<h1>Let the Prefect command line act as you?</h1>
    <p>A program on this machine asks for an API key of <strong>${email}</strong>. It waits at <code>${callback}</code>.</p>
    <p>Refuse when you did not just run <code>prefect cloud login</code> yourself.</p>
    <noscript><p class="notice bad">Handing the key over needs JavaScript. Choose to paste an API key in the terminal
      instead.</p></noscript>
    <form method="post">
      ${csrfField(csrfToken)}
      <div class="choice">
        <button class="plain" type="submit" name="decision" value="deny">Refuse</button>
        <button type="submit" name="decision" value="approve">Approve</button>
      </div>
    </form>`;
}

export function noTerminalPage(): Html {
  return html`<h1>No program to sign in</h1>
    <p><code>prefect cloud login</code> opens this page, with the address on this machine where it waits.</p>
    <p><a href="/">To the start page</a></p>`;
}

export interface Delivery {
  readonly callback: string;
  /** Path at the terminal. */
  readonly path: 'success' | 'failure';
  readonly payload: object;
  /** The key that is revoked if the terminal does not accept it. */
  readonly key?: { readonly id: string; readonly csrfToken: string };
}

export function deliveryPage({ callback, path, payload, key }: Delivery): Html {
  const isApproved = path === 'success';
  return html`<div id="delivery" data-target="${callback}/${path}" data-payload="${JSON.stringify(payload)}"
      data-key="${key?.id}" data-csrf="${key?.csrfToken}">
    <div data-state="waiting"><h1>One moment</h1><p role="status">Sending the answer to the terminal.</p>
      <noscript><p class="notice bad">This needs JavaScript.</p></noscript></div>
    <div data-state="done" hidden>${
      isApproved
        ? html`<h1>The terminal is signed in</h1>
          <p class="notice good" role="status">It has its key. You can close this window.</p>`
        : html`<h1>Refused</h1>
          <p class="notice bad" role="status">The terminal gets no key. You can close this window.</p>`
    }</div>
    <div data-state="failed" hidden><h1>The terminal does not answer</h1>
      <p class="notice bad" role="alert">It gets no key. Run <code>prefect cloud login</code> again.</p></div>
  </div>`;
}

export const DELIVERY_SCRIPT = `'use strict';
const delivery = document.querySelector('#delivery');
const { target, payload, key, csrf } = delivery.dataset;
for (const name of Object.keys(delivery.dataset)) delete delivery.dataset[name];
const show = (state) => {
  for (const one of delivery.children) one.hidden = one.dataset.state !== state;
};
fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: payload })
  .then(({ ok }) => {
    if (!ok) throw new Error('refused');
    show('done');
  })
  .catch(() => {
    show('failed');
    if (key) fetch('/api/v0/me/api-keys/' + key, { method: 'DELETE', headers: { 'x-csrf-token': csrf } });
  });
`;
