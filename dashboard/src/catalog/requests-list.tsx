/** Requests for access: those that the person may decide, and the person's own. */
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { Button } from '../components/button.tsx';
import { Choice, FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { ListView } from '../components/table/list-view.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import {
  type AccessRequest,
  approveAccess,
  type Role,
  refuseAccess,
  requestsQuery,
  rereadRequests,
  withdrawRequest,
} from './queries.ts';

const states: readonly (readonly [AccessRequest['state'] | 'all', string])[] = [
  ['open', 'Open'],
  ['approved', 'Approved'],
  ['refused', 'Refused'],
  ['withdrawn', 'Withdrawn'],
  ['all', 'All'],
];
const roles = [
  ['viewer', 'viewer: uses it'],
  ['editor', 'editor: also changes it'],
  ['admin', 'admin: also grants roles'],
] as const;

const MOST_CHARACTERS = 1000;

interface Props {
  readonly org: string;
  readonly own: boolean;
  /** The state in the address. */
  readonly state: string | undefined;
  readonly onState: (state: string | undefined) => void;
}

export function RequestsList({ org, own, state, onState }: Props) {
  const first = own ? 'all' : 'open';
  const shown = states.find(([one]) => one === state)?.[0] ?? first;
  const { query, rows, more } = useList(requestsQuery(org, { own, state: shown === 'all' ? undefined : shown }));
  return (
    <>
      <Choice
        label="State"
        className="mb-3 w-40"
        value={shown}
        choices={states}
        onChange={(chosen) => onState(chosen === first ? undefined : chosen)}
      />
      <ListView
        query={query}
        isEmpty={rows.length === 0}
        empty={
          <Empty
            title={shown === 'all' ? 'No requests yet' : shown === 'open' ? 'No open requests' : `None is ${shown}`}
            action={shown === first ? null : <Button onClick={() => onState(undefined)}>Remove the filter</Button>}
          >
            {own
              ? 'What you ask for in the catalog is listed here with its answer.'
              : 'People who see a server in the catalog without a role in it can ask for one. You decide here.'}
          </Empty>
        }
      >
        <ul aria-label="Requests for access" className="border-t border-line">
          {rows.map((request) => (
            <Request key={request.id} org={org} request={request} own={own} />
          ))}
        </ul>
        {query.hasNextPage ? (
          <Button className="mt-3" disabled={query.isFetchingNextPage} onClick={more}>
            Show more
          </Button>
        ) : null}
      </ListView>
    </>
  );
}

/** Open requests for one server; draws nothing if there are none. */
export function OpenRequests({ org, server }: { readonly org: string; readonly server: string }) {
  const { rows } = useList(requestsQuery(org, { own: false, state: 'open', server }));
  if (rows.length === 0) return null;
  return (
    <Section title="Requests for access" aside={rows.length}>
      <ul aria-label="Requests for access" className="border-t border-line">
        {rows.map((request) => (
          <Request key={request.id} org={org} request={request} own={false} />
        ))}
      </ul>
    </Section>
  );
}

interface RequestProps {
  readonly org: string;
  readonly request: AccessRequest;
  readonly own: boolean;
}

function Request({ org, request, own }: RequestProps) {
  const [dialog, setDialog] = useState<'approve' | 'refuse'>();
  const action = useAction();
  const withdraw = () =>
    action.run(async () => {
      await withdrawRequest(org, request.id);
      await rereadRequests();
    });
  const isOpen = request.state === 'open';
  return (
    <li className="ruled flex flex-wrap items-start gap-x-4 gap-y-2 py-2.5">
      <div className="min-w-60 flex-1">
        <p className="break-words">
          {own ? null : <span className="font-medium">{request.userName}</span>}
          {own ? null : <span className="text-quiet"> asks for </span>}
          <span className="font-medium">{request.server.name}</span>
          <span className="ml-2 text-xs text-quiet">
            <Moment time={request.createdAt} />
          </span>
        </p>
        <p className="max-w-180 whitespace-pre-wrap break-words text-soft">{request.reason}</p>
        <Decision request={request} />
        <ProblemNote text={action.problem} />
      </div>
      {isOpen && !own ? (
        <div className="flex gap-2">
          <Button onClick={() => setDialog('refuse')}>Refuse</Button>
          <Button onClick={() => setDialog('approve')}>Approve</Button>
        </div>
      ) : null}
      {isOpen && own ? (
        <Button disabled={action.isBusy} onClick={() => void withdraw()}>
          Withdraw
        </Button>
      ) : null}
      {dialog === 'approve' ? (
        <ApproveDialog org={org} request={request} onClose={() => setDialog(undefined)} />
      ) : dialog === 'refuse' ? (
        <RefuseDialog org={org} request={request} onClose={() => setDialog(undefined)} />
      ) : null}
    </li>
  );
}

function Decision({ request: { state, role, answer, decidedBy, decidedAt } }: Pick<RequestProps, 'request'>) {
  if (state === 'open') return null;
  const what = { approved: `Approved as ${role ?? ''}`, refused: 'Refused', withdrawn: 'Withdrawn' }[state];
  return (
    <p className="mt-1 max-w-180 break-words text-xs text-quiet">
      {what}
      {decidedBy === null ? '' : ` by ${decidedBy}`} <Moment time={decidedAt} />
      {answer === null ? '' : `: ${answer}`}
    </p>
  );
}

interface DialogProps {
  readonly org: string;
  readonly request: AccessRequest;
  readonly onClose: () => void;
}

function ApproveDialog({ org, request, onClose }: DialogProps) {
  const form = useForm({ role: 'viewer' as Role });
  return (
    <FormDialog
      title="Approve the request"
      action="Grant the role"
      form={form}
      isReady
      onClose={onClose}
      onSubmit={async () => {
        await approveAccess(org, request.id, form.values.role);
        await rereadRequests();
        onClose();
      }}
    >
      <p className="break-words text-soft">
        {request.userName} gets a role on {request.server.name}, from the next request on. You can take it back on its
        page, under Access.
      </p>
      <ChoiceField of={form} name="role" label="Role" choices={roles} />
    </FormDialog>
  );
}

function RefuseDialog({ org, request, onClose }: DialogProps) {
  const form = useForm({ reason: '' });
  const reason = form.values.reason.trim();
  return (
    <FormDialog
      title="Refuse the request"
      action="Refuse"
      form={form}
      isReady={reason !== ''}
      onClose={onClose}
      onSubmit={async () => {
        await refuseAccess(org, request.id, reason);
        await rereadRequests();
        onClose();
      }}
    >
      <TextField
        of={form}
        name="reason"
        label={`Why, for ${request.userName}`}
        rows={2}
        className="min-h-24"
        maxLength={MOST_CHARACTERS}
        hint="The person can ask again after a day."
      />
    </FormDialog>
  );
}
