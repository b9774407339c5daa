/** Facts that the server writes into the page, the same for everyone who opens it. */
export interface ServerFacts {
  readonly version: string;
  /** The callers who may use `/api`: anyone, those with the one user and password, or those with a key or session. */
  readonly apiAuth: 'open' | 'basic' | 'key';
  /** True if at least one account exists. */
  readonly hasAccounts: boolean;
  /**
   * The beginning of a command on the machine of the server, such as `npm run -s signalbox --`; only given while no
   * account exists.
   */
  readonly program: string;
}

const element = document.getElementById('server-facts');
const written = JSON.parse(element?.textContent || '{}') as Partial<ServerFacts>;

export const serverFacts: ServerFacts = {
  ...{ version: 'dev', apiAuth: 'open', hasAccounts: false, program: 'signalbox' },
  ...written,
};

/** Path below which the dashboard is served, without a slash at its end: empty, or `/signalbox` behind a proxy. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '');
