/** A cause of failures of flow runs, with the runs behind it. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../api/access.ts';
import { buttonClass } from '../components/button.tsx';
import { Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { StateMark } from '../design/state-mark.tsx';
import { stateKind } from '../design/states.ts';
import { type Cause, type FlowCause, ofFlow } from './cause.ts';
import { CauseFrame } from './cause-frame.tsx';
import { causeQuery, runsOfCauseQuery } from './queries.ts';

const route = getRouteApi('/inbox/cause/$id');

export function CausePage() {
  const { id } = route.useParams();
  const query = useQuery(causeQuery(id));
  const mayAutomate = useMay('automations:write');
  if (!query.data) return <Unread of={query} rows={10} isPage />;
  const cause = ofFlow(query.data);
  return (
    <CauseFrame
      cause={{ ...cause, title: query.data.cause || 'No message' }}
      actions={
        mayAutomate ? (
          <Link
            to="/automations/create"
            search={{ template: 'cause', cause: id, name: `${query.data.flow_name}: ${query.data.cause}` }}
            className={buttonClass()}
          >
            New automation
          </Link>
        ) : null
      }
    >
      <Newest of={query.data} />
      <Runs id={id} />
      <Versions of={cause.flow} />
    </CauseFrame>
  );
}

function Newest({ of: cause }: { readonly of: FlowCause }) {
  const { last_message: message, last_run_id: run, last_run_name: name } = cause;
  return (
    <Section
      title="Newest failure"
      aside={
        run ? (
          <Link to="/runs/flow-run/$id" params={{ id: run }} className="hover:underline">
            Why {name} failed
          </Link>
        ) : null
      }
    >
      <p className="border-t border-line py-2 font-mono text-xs break-words whitespace-pre-wrap">
        {message || 'No message'}
      </p>
    </Section>
  );
}

function Runs({ id }: { readonly id: string }) {
  const query = useQuery(runsOfCauseQuery(id));
  return (
    <Section
      title="Runs"
      aside={
        <Link to="/runs" search={{ cause: id, span: '30d' }} className="hover:underline">
          All runs
        </Link>
      }
    >
      {!query.data ? (
        <Unread of={query} rows={5} />
      ) : query.data.runs.length === 0 ? (
        <p className="border-t border-line py-2 text-quiet">Its runs were deleted. The cause stays.</p>
      ) : (
        <ul className="border-t border-line">
          {query.data.runs.map((run) => (
            <li key={run.id} className="ruled flex min-h-(--row) items-center justify-between gap-4 hover:bg-hover">
              <p className="flex min-w-0 items-center gap-3">
                <StateMark kind={stateKind(run.state_type, run.state_name)} alone />
                <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="truncate hover:underline">
                  {run.name}
                </Link>
                <span className="truncate text-xs text-soft">
                  {run.flow_name}
                  {run.deployment_name ? ` / ${run.deployment_name}` : ''}
                </span>
              </p>
              <Moment time={run.start_time ?? run.expected_start_time} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Versions({ of: flow }: { readonly of: Cause['flow'] }) {
  if (!flow || flow.versions.length === 0) return null;
  return (
    <Section title="Versions">
      <ul className="border-t border-line">
        {flow.versions.map(({ version, count, first_seen, last_seen }) => (
          <li key={version} className="ruled flex min-h-(--row) items-center justify-between gap-4">
            <span className="truncate font-mono text-xs">{version}</span>
            <span className="tabular whitespace-nowrap text-soft">
              {count === 1 ? 'once' : `${count.toLocaleString('en')} times`}, first <Moment time={first_seen} />, last{' '}
              <Moment time={last_seen} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
