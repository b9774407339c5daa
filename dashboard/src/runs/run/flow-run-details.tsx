/** Rarely needed facts about a flow run, and its parameters. */
import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../../components/text/code-block.tsx';
import { Id } from '../../components/text/copy.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { shortened } from '../../components/text/shortened.ts';
import { Some } from '../../components/use-some.tsx';
import type { FlowRunView } from '../queries.ts';

export function Parameters({ parameters }: { readonly parameters: Record<string, unknown> }) {
  const names = Object.keys(parameters);
  if (names.length === 0) return <p className="text-quiet">This run has no parameters.</p>;
  return (
    <dl className="grid max-w-200 grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-1">
      <Some of={names}>
        {(name) => (
          <div key={name} className="contents">
            <dt className="min-w-0 break-words text-quiet">{shortened(name)}</dt>
            <dd className="min-w-0">
              <CodeBlock label={shortened(name)} text={JSON.stringify(parameters[name], null, 2)} isWrapped />
            </dd>
          </div>
        )}
      </Some>
    </dl>
  );
}

export function FlowRunDetails({ view }: { readonly view: FlowRunView }) {
  const { flow_run: run } = view;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Created', run.created],
    ['Expected start', run.expected_start_time],
    ['Start', run.start_time],
    ['End', run.end_time],
  ];
  const request = requestOf(run.labels);
  return (
    <dl className="grid max-w-200 grid-cols-[10rem_1fr] gap-y-1">
      <dt className="text-quiet">Id</dt>
      <dd>
        <Id id={run.id} />
      </dd>
      {facts.map(([name, time]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd>
            <Moment time={time} absolute />
          </dd>
        </div>
      ))}
      {(
        [
          ['Flow version', run.flow_version],
          ['Deployment version', run.deployment_version],
          ['Work queue', run.work_queue_name],
          ['Idempotency key', run.idempotency_key],
          ['Infrastructure', run.infrastructure_pid],
          ['Created by', run.created_by?.display_value],
          ['Result', storageKeyOf(run.state?.data)],
        ] as const
      ).map(([name, value]) =>
        value ? (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ) : null,
      )}
      {request ? (
        <>
          <dt className="text-quiet">Started by</dt>
          <dd>
            <Link to="/requests" search={{ open: request }} className="text-accent hover:underline">
              A request to an MCP server
            </Link>
          </dd>
        </>
      ) : null}
    </dl>
  );
}

/** The request in which a tool of the built-in MCP server started the run, as the list of requests opens it. */
function requestOf(labels: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const server = labels?.['signalbox.mcp.server'];
  const request = labels?.['signalbox.mcp.request'];
  return typeof server === 'string' && typeof request === 'string' ? `${server}/${request}` : undefined;
}

/** The location of a result that the flow stored. The server never has the result itself. */
function storageKeyOf(data: unknown): string | undefined {
  const key = (data as { storage_key?: unknown } | null | undefined)?.storage_key;
  return typeof key === 'string' ? `stored as ${key}` : undefined;
}
