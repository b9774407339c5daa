/** The columns of the list of requests. */

import { Narrowable } from '../components/list/narrowing.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import { bytes, milliseconds } from '../design/figures.ts';
import { shortId } from '../design/short-id.ts';
import { OutcomeLabel, outcomeTitle, whyText } from './outcomes.tsx';
import type { ServerRequest } from './queries.ts';

const calledOf = ({ capability, method }: ServerRequest) => capability ?? method ?? 'request';

/** `names` has the names of servers by their ids. `open` shows a request. */
export function requestColumns(
  names: ReadonlyMap<string, string>,
  open: (request: ServerRequest) => void,
): readonly Column<ServerRequest>[] {
  const serverOf = ({ serverId }: ServerRequest) => names.get(serverId) ?? shortId(serverId);
  return [
    {
      id: 'when',
      title: 'Time',
      width: '9.5rem',
      line: 1,
      cell: ({ occurredAt }) => <Moment time={occurredAt} isExact />,
    },
    {
      id: 'actor',
      title: 'Caller',
      text: ({ actorName }) => actorName ?? '–',
      extra: 8,
      from: 560,
      cell: ({ actorId, actorName }) =>
        actorId ? (
          <Narrowable field="caller" value={actorId} words={actorName ?? shortId(actorId)}>
            {actorName ?? shortId(actorId)}
          </Narrowable>
        ) : (
          '–'
        ),
    },
    {
      id: 'outcome',
      title: 'Outcome',
      text: ({ outcome }) => outcomeTitle(outcome),
      extra: 32,
      bounds: [84, 140],
      line: 2,
      isFirst: true,
      isShort: true,
      cell: ({ outcome }) => (
        <Narrowable field="outcome" value={outcome} words={outcomeTitle(outcome)}>
          <OutcomeLabel outcome={outcome} />
        </Narrowable>
      ),
    },
    {
      id: 'capability',
      title: 'Called',
      text: calledOf,
      extra: 8,
      bounds: [120, 320],
      line: 1,
      isFirst: true,
      cell: (request) => {
        const button = (
          <button
            type="button"
            className="max-w-full truncate font-mono text-xs font-medium hover:underline max-sm:py-1"
            onClick={() => open(request)}
          >
            {calledOf(request)}
          </button>
        );
        const { capability } = request;
        return capability ? (
          <Narrowable field="tool" value={capability} isLinked>
            {button}
          </Narrowable>
        ) : (
          button
        );
      },
    },
    {
      id: 'server',
      title: 'Server',
      text: serverOf,
      extra: 8,
      from: 700,
      cell: (request) => (
        <Narrowable field="server" value={request.serverId} words={serverOf(request)}>
          {serverOf(request)}
        </Narrowable>
      ),
    },
    {
      id: 'reason',
      title: 'Why',
      width: 'minmax(7rem, 1fr)',
      line: 2,
      cell: (request) => <span className="text-soft">{whyText(request)}</span>,
    },
    {
      id: 'method',
      title: 'Method',
      text: ({ method }) => method ?? '',
      extra: 28,
      from: 1180,
      cell: ({ method }) =>
        method ? (
          <Narrowable field="method" value={method}>
            <span className="font-mono text-xs text-soft">{method}</span>
          </Narrowable>
        ) : null,
    },
    {
      id: 'client',
      title: 'Client',
      text: ({ clientName }) => clientName ?? '',
      extra: 8,
      from: 1000,
      cell: ({ clientName }) =>
        clientName ? (
          <Narrowable field="client" value={clientName}>
            <span className="text-soft">{clientName}</span>
          </Narrowable>
        ) : null,
    },
    {
      id: 'size',
      title: 'Size',
      width: '4.5rem',
      align: 'right',
      from: 1280,
      cell: ({ responseBytes }) => bytes(responseBytes),
    },
    {
      id: 'duration',
      title: 'Duration',
      width: '4.5rem',
      align: 'right',
      from: 760,
      cell: ({ durationMicroseconds }) => milliseconds(durationMicroseconds),
    },
  ];
}
