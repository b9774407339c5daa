/** Requests access to a server, and shows the state of the request. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { Empty, Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import { type AccessRequest, entryQuery, requestAccess, rereadRequests, withdrawRequest } from './queries.ts';

const MOST_CHARACTERS = 1000;

interface DialogProps {
  readonly org: string;
  readonly server: { readonly slug: string; readonly name: string; readonly owners: readonly string[] };
  readonly onClose: () => void;
}

export function RequestDialog({ org, server, onClose }: DialogProps) {
  const form = useForm({ reason: '' });
  const reason = form.values.reason.trim();
  return (
    <FormDialog
      title={`Request access to ${server.name}`}
      action="Send request"
      form={form}
      isReady={reason !== ''}
      onClose={onClose}
      onSubmit={async () => {
        await requestAccess(org, server.slug, reason);
        await rereadRequests();
        onClose();
      }}
    >
      <TextField
        of={form}
        name="reason"
        label="What do you need it for?"
        rows={2}
        className="min-h-24"
        maxLength={MOST_CHARACTERS}
        hint={
          server.owners.length > 0
            ? `${server.owners.join(', ')} and the administrators of the organization can decide.`
            : 'The administrators of the organization can decide.'
        }
      />
    </FormDialog>
  );
}

/** Shown on the page of a server to a person without a role there. */
export function NoAccess({ org, server }: { readonly org: string; readonly server: string }) {
  const query = useQuery(entryQuery(org, server));
  const [isAsking, ask] = useState(false);
  const action = useAction();
  const { data: entry } = query;
  if (!entry) return <Unread of={query} rows={3} />;
  const { request } = entry;
  const withdraw = (id: string) =>
    action.run(async () => {
      await withdrawRequest(org, id);
      await rereadRequests();
    });
  return (
    <>
      <Empty
        title={request?.state === 'open' ? 'You have asked for access' : 'You have no access to this server'}
        action={
          request?.state === 'open' ? (
            <Button disabled={action.isBusy} onClick={() => void withdraw(request.id)}>
              Withdraw the request
            </Button>
          ) : (
            <Button kind="primary" onClick={() => ask(true)}>
              Request access
            </Button>
          )
        }
      >
        <Outcome request={request} />
        <ProblemNote text={action.problem} />
      </Empty>
      {isAsking ? <RequestDialog org={org} server={entry} onClose={() => ask(false)} /> : null}
    </>
  );
}

function Outcome({ request }: { readonly request: AccessRequest | null }) {
  if (request?.state === 'open') {
    return (
      <>
        <p>
          An administrator of the server decides. You asked <Moment time={request.createdAt} />:
        </p>
        <p className="mt-2 whitespace-pre-wrap break-words border-l-2 border-line pl-3">{request.reason}</p>
      </>
    );
  }
  if (request?.state === 'refused') {
    return (
      <>
        <p>
          {request.decidedBy} refused your request <Moment time={request.decidedAt} />:
        </p>
        <p className="mt-2 whitespace-pre-wrap break-words border-l-2 border-line pl-3">{request.answer}</p>
      </>
    );
  }
  return <p>You see it because it is discoverable. An administrator of the server can give you a role.</p>;
}
