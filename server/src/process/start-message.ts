/** The message of a server that has started. */
import type { Config } from '../config.ts';
import { SET_UP_SECONDS } from '../platform/people/set-up/lifetime.ts';
import { counted } from '../values/counted.ts';

export interface StartedServer {
  /** `http://127.0.0.1:4200`: a reachable address, also when the server listens on every address. */
  readonly url: string;
  /** The page on which the first administrator makes an account, once; undefined when a person can already sign in. */
  readonly setUpUrl: string | undefined;
  /** The address of the metrics; undefined if they are off. */
  readonly metricsUrl: string | undefined;
  /** Describes whether and how programs of users run here, and why. */
  readonly hosting: string;
  /** The number of processes that serve, and what they share; undefined if it is one process. */
  readonly processes?: string | undefined;
}

/** The page of a set-up link. `url` is the address of the server. */
export function setUpUrl({ publicUrl, basePath }: Config, url: string, token: string): string {
  return `${publicUrl === '' ? url : publicUrl + basePath}/setup?token=${token}`;
}

/** Prints the whole message in one write: who reads its first line then has the rest too. */
export function announce(
  { url, hosting, processes, metricsUrl, setUpUrl: setUp }: StartedServer,
  config: Config,
): void {
  const lines = [
    'Signalbox is ready.',
    `  dashboard   ${url}/`,
    `  API         ${url}/api     (PREFECT_API_URL)`,
    `  API docs    ${url}/docs`,
    `  help        ${url}/help`,
    `  hosting     ${hosting}`,
    `  kept        ${keptText(config)}`,
    ...(processes === undefined ? [] : [`  processes   ${processes}`]),
    ...(config.settingsFile ? [`  settings    ${config.settingsFile.path}`] : []),
    ...(metricsUrl === undefined ? [] : [`  metrics     ${metricsUrl}`]),
    ...(setUp === undefined ? [] : [SET_UP_SENTENCE, `  set up      ${setUp}`]),
  ];
  console.log(lines.join('\n'));
}

const SET_UP_SENTENCE = `Nobody can sign in yet. Create the first administrator's account here. The link works once, for ${SET_UP_SECONDS / 3600} hours:`;

/** The line at the start about the data that the server deletes, and when. */
function keptText({ retention, eventRetentionSeconds, runRetentionSeconds }: Config): string {
  const days = (seconds: number) => counted(Number((seconds / 86_400).toFixed(1)), 'day');
  const runs = retention.has('flow_runs') ? `ended flow runs ${days(runRetentionSeconds)}` : 'flow runs for ever';
  const events = retention.has('events') ? `events ${days(eventRetentionSeconds)}` : 'events for ever';
  return `${runs}, ${events} (SIGNALBOX_RETENTION)`;
}
