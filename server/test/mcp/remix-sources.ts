/** The sources of the remixes that the clients call. */

/** Sends a request below the servers of the organization, and answers its body. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

type Lists = Record<string, Record<string, string>[]>;

/** All that a server offers, under its names. */
export async function wholeOf(ask: Ask, server: string): Promise<object> {
  const offered = (await ask('GET', `/${server}/capabilities`)) as Lists;
  const chosen = (list: string, key: string) => (offered[list] ?? []).map((item) => ({ name: item[key] }));
  return {
    server,
    tools: chosen('tools', 'name'),
    prompts: chosen('prompts', 'name'),
    resources: chosen('resources', 'uri'),
    resourceTemplates: chosen('resourceTemplates', 'uriTemplate'),
  };
}

/** All that one server offers under its names, and the tools of another one under other names. */
export async function remixed(ask: Ask): Promise<object[]> {
  const reference = (await ask('GET', '/reference/capabilities')) as Lists;
  return [
    await wholeOf(ask, 'everything'),
    { server: 'reference', tools: (reference['tools'] ?? []).map(({ name }) => ({ name, as: `reference-${name}` })) },
  ];
}
