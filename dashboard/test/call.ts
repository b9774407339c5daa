/** Calls the API from a test: to create what a page shows, and to check what a page did. */

/** Throws with the answer when the API refuses the call. */
export async function post<Answer = { readonly id: string }>(api: string, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return send<Answer>(api, path, { method: 'POST', body: JSON.stringify(body), headers });
}

export async function get<Answer>(api: string, path: string): Promise<Answer> {
  return send<Answer>(api, path, {});
}

async function send<Answer>(api: string, path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(api + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}
