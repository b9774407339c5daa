/**
 * As much of a browser as pages without scripts need: it keeps cookies, posts forms and sends the origin of the page.
 */
import type { Answer, TestServer } from './server.ts';

export interface Browser {
  open(address: string): Promise<Answer>;
  /** Posts fields to an address, with the CSRF token of the last opened page. */
  post(address: string, fields: Readonly<Record<string, string>>, headers?: Record<string, string>): Promise<Answer>;
  readonly cookies: Map<string, string>;
}

const HOST = 'signalbox';

export function openBrowser(server: TestServer): Browser {
  const cookies = new Map<string, string>();
  let csrfToken: string | undefined;
  const send = async (method: string, address: string, body?: string, headers: Record<string, string> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await server.request(method, address, body, {
      host: HOST,
      ...(cookie === '' ? {} : { cookie }),
      ...headers,
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(line)) ?? [];
      if (/Max-Age=0/.test(String(line))) cookies.delete(name);
      else cookies.set(name, value);
    }
    csrfToken = /name="csrf_token" value="([^"]*)"/.exec(answer.text)?.[1] ?? csrfToken;
    return answer;
  };
  return {
    cookies,
    open: (address) => send('GET', address),
    post: (address, fields, headers) => {
      const form = new URLSearchParams({ ...(csrfToken === undefined ? {} : { csrf_token: csrfToken }), ...fields });
      return send('POST', address, form.toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: `http://${HOST}`,
        ...headers,
      });
    },
  };
}
