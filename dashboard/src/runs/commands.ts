/** The actions of a flow run page as commands of the Prefect client and of curl. */
import { serverFacts } from '../api/server-facts.ts';
import { apiPath } from '../api/workspace.ts';
import { isEnded } from '../design/states.ts';
import type { FlowRunView } from './queries.ts';

export interface Command {
  readonly title: string;
  readonly text: string;
}

export function commandsOf({ flow_run: run, deployment, flow }: FlowRunView): Command[] {
  const path = `/flow_runs/${run.id}`;
  const commands: Command[] = [
    { title: 'Inspect', text: lines(`prefect flow-run inspect ${run.id}`, curl('GET', path)) },
    { title: 'Logs', text: lines(`prefect flow-run logs ${run.id}`, curl('GET', `${path}/logs/download`)) },
  ];
  if (!isEnded(run.state_type)) {
    const state = { type: 'CANCELLING', name: 'Cancelling' };
    const text = lines(`prefect flow-run cancel ${run.id}`, curl('POST', `${path}/set_state`, { state }));
    commands.push({ title: 'Cancel', text });
  }
  if (run.state_type === 'PAUSED') {
    commands.push({ title: 'Resume', text: curl('POST', `${path}/resume`, {}) });
  }
  if (deployment && (run.state_type === 'FAILED' || run.state_type === 'CRASHED')) {
    const state = { type: 'SCHEDULED', name: 'AwaitingRetry' };
    const text = lines(`prefect flow-run retry ${run.id}`, curl('POST', `${path}/set_state`, { state }));
    commands.push({ title: 'Retry', text });
  }
  if (deployment) {
    const { parameters = {} } = run;
    const given = Object.keys(parameters).length > 0 ? ` --params ${quoted(JSON.stringify(parameters))}` : '';
    const text = lines(
      `prefect deployment run ${quoted(`${flow.name}/${deployment.name}`)}${given}`,
      curl('POST', `/deployments/${deployment.id}/create_flow_run`, { parameters }),
    );
    commands.push({ title: 'Run again', text });
  }
  return commands;
}

function lines(...commands: readonly string[]): string {
  return commands.join('\n\n');
}

/** The credential stays a variable of the shell. */
const credential = {
  open: '',
  basic: ' -u "$PREFECT_API_AUTH_STRING"',
  key: ' -H "Authorization: Bearer $PREFECT_API_KEY"',
} as const;

function curl(method: 'GET' | 'POST', path: string, body?: object): string {
  const address = quoted(`${location.origin}${apiPath}${path}`);
  const sent = body ? ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}` : '';
  return `curl${method === 'GET' ? '' : ` -X ${method}`}${credential[serverFacts.apiAuth]} ${address}${sent}`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
