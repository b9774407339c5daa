/** Facts that the server writes into the page, the same for everyone who opens it. */
export interface ServerFacts {
  readonly version: string;
  /** Who may use `/api`: anyone, those with the one user and password, or those with a key or session. */
  readonly apiAuth: 'open' | 'basic' | 'key';
  /** Whether anybody has an account here. */
  readonly hasAccounts: boolean;
  /** What begins a command on the machine of the server, such as `npm run -s signalbox --`; told while nobody has an account. */
  readonly program: string;
}

const element = document.getElementById('server-facts');
const written = JSON.parse(element?.textContent || '{}') as Partial<ServerFacts>;

export const serverFacts: ServerFacts = {
  ...{ version: 'dev', apiAuth: 'open', hasAccounts: false, program: 'signalbox' },
  ...written,
};

/** Path that the dashboard is served below, without a slash at its end: empty, or `/signalbox` behind a proxy. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '');
