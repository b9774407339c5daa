/** All facts in the record of one request. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Dialog } from '../components/dialog.tsx';
import { Facts } from '../components/page.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { bytes, milliseconds } from '../design/figures.ts';
import { shortId } from '../design/short-id.ts';
import { OutcomeLabel, reasonText } from './outcomes.tsx';
import { requestQuery, type ServerRequest } from './queries.ts';

interface Props {
  readonly org: string;
  readonly open: string;
  readonly names: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

export function RequestDialog({ org, open, names, onClose }: Props) {
  const query = useQuery(requestQuery(org, open));
  const { data: request } = query;
  return (
    <Dialog isOpen onClose={onClose} title={request?.capability ?? request?.method ?? 'Request'} width="wide">
      {query.isPending ? (
        <Skeleton rows={6} />
      ) : !request ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <>
          <WhyPanel request={request} />
          <Facts
            className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3"
            of={{
              Outcome: <OutcomeLabel outcome={request.outcome} />,
              Status: (
                <>
                  {request.status}
                  {request.errorCode === null ? null : <span className="text-quiet"> · code {request.errorCode}</span>}
                </>
              ),
              Time: milliseconds(request.durationMicroseconds),
              When: <Moment time={request.occurredAt} absolute />,
              Caller: (
                <>
                  {request.actorName ?? '–'}
                  {request.actorType === 'service_account' ? (
                    <span className="text-quiet"> service account</span>
                  ) : null}
                </>
              ),
              Server: (
                <Link to="/servers/$server" params={{ server: request.serverId }} className="hover:underline">
                  {names.get(request.serverId) ?? shortId(request.serverId)}
                </Link>
              ),
              Method: request.method ?? '–',
              Client: [request.clientName, request.clientVersion].filter(Boolean).join(' ') || '–',
              Protocol: request.protocolVersion ?? '–',
              [request.outcome === 'denied' ? 'Denied by' : 'Allowed by']:
                request.outcome === 'invalid' ? undefined : reasonText(request.reason),
              Sent: bytes(request.requestBytes),
              Received: bytes(request.responseBytes),
              Session: request.sessionId ? <Id id={request.sessionId} /> : '–',
              Id: <Id id={request.id} />,
              'Started run': request.startedRunId ? (
                <Link
                  to="/runs/flow-run/$id"
                  params={{ id: request.startedRunId }}
                  className="text-accent hover:underline"
                >
                  Open the run
                </Link>
              ) : undefined,
            }}
          />
          {request.outcome === 'denied' ? (
            <p className="mt-4">
              <Link
                to="/servers/$server"
                params={{ server: request.serverId }}
                search={{ tab: 'policy', actor: request.actorId ?? undefined }}
                className="text-accent hover:underline"
              >
                What the policy allows {request.actorName ?? 'them'}
              </Link>
            </p>
          ) : null}
          <p className="mt-4 text-xs text-quiet">Arguments, results and keys are not stored.</p>
        </>
      )}
    </Dialog>
  );
}

/** The failure of the request, and its cure. */
function WhyPanel({ request }: { readonly request: ServerRequest }) {
  const { outcome, failure, reason } = request;
  if (outcome === 'ok') return null;
  const why = outcome === 'denied' ? `Denied by ${reasonText(reason)}.` : failure?.reason;
  return (
    <div className="mb-4">
      <p className={outcome === 'denied' ? '' : 'text-failed-text'}>
        {why ?? 'The record does not say why: an older version of the server wrote it.'}
      </p>
      {failure ? <p className="mt-1 text-soft">{failure.cure}</p> : null}
    </div>
  );
}
