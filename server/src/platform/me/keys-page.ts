import type { Config } from '../../config.ts';
import { csrfField, field } from '../../pages/form.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Timestamp } from '../../time.ts';
import type { OwnWorkspace } from '../account/queries.ts';
import type { ApiKeyRow } from '../api-keys/queries.ts';
import { serverSettings, workspaceSettings } from '../client-settings.ts';

/** A person in more workspaces can derive the other addresses from the pattern of these. */
const SHOWN_WORKSPACES = 10;

export interface KeysFacts {
  readonly keys: readonly ApiKeyRow[];
  readonly hasMore: boolean;
  readonly descriptor: string | undefined;
  readonly problem: string | undefined;
  readonly csrfToken: string;
}

export function keysPage({ keys, hasMore, descriptor, problem, csrfToken }: KeysFacts): Html {
  return html`<h1>Your API keys</h1>
    <p class="quiet">A program that shows your key may do what you may do.</p>
    <form method="post" action="/account/keys">
      ${csrfField(csrfToken)}
      ${field({
        name: 'descriptor',
        label: 'What the key is for',
        type: 'text',
        autocomplete: 'off',
        value: descriptor,
        problem,
        hint: 'For example: laptop, or nightly report.',
        maxLength: 200,
      })}
      <button type="submit">Create a key</button>
    </form>
    ${keys.length === 0 ? html`<p class="quiet">You have no key.</p>` : html`<ul class="list">${keys.map((key) => keyItem(key, csrfToken))}</ul>`}
    ${hasMore ? html`<p class="quiet">Older keys are not shown here. <code>GET /api/v0/me/api-keys</code> lists all keys.</p>` : undefined}
    <p><a href="/account">To your account</a></p>`;
}

function keyItem({ id, descriptor, created, last_used_at }: ApiKeyRow, csrfToken: string): Html {
  const used = last_used_at === null ? 'never used' : `last used ${shortTime(last_used_at)}`;
  return html`<li>
      <strong>${descriptor}</strong>
      <span class="quiet small">created ${shortTime(created)}, ${used}</span>
      <form method="post" action="/account/keys/${id}/revoke">
        ${csrfField(csrfToken)}<button class="plain" type="submit" aria-label="Revoke ${descriptor}">Revoke</button>
      </form>
    </li>`;
}

export interface CreatedKeyFacts {
  readonly descriptor: string;
  readonly secret: string;
  /** Where people reach this server. */
  readonly address: string;
  readonly apiAuth: Config['apiAuth'];
  readonly workspaces: readonly OwnWorkspace[];
}

export function createdKeyPage({ descriptor, secret, address, apiAuth, workspaces }: CreatedKeyFacts): Html {
  const shown = workspaces.slice(0, SHOWN_WORKSPACES).map((one) => ({
    name: `${one.account_name} / ${one.workspace_name}`,
    organization: one.account_id,
    workspace: one.workspace_id,
  }));
  return html`<h1>Your new key</h1>
    <p class="notice good" role="status">The key for “${descriptor}” is ready. It is shown only once: copy it now.</p>
    <pre id="key">${secret}</pre>
    ${
      apiAuth === 'key'
        ? html`<p>For a client of <code>${address}/api</code>:</p>
            <pre id="server-settings">${serverSettings(address, secret)}</pre>`
        : undefined
    }
    ${shown.map(
      (one) => html`<p>For a client of the workspace ${one.name}. Task runs and events need the third line:</p>
        <pre class="workspace-settings">${workspaceSettings(address, secret, one)}</pre>`,
    )}
    ${
      workspaces.length > shown.length
        ? html`<p class="quiet">Your other ${workspaces.length - shown.length} workspaces differ in their ids only.</p>`
        : undefined
    }
    <p><a href="/account/keys">To your keys</a></p>`;
}

function shortTime(time: Timestamp): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
