/** One webhook: its template, its last requests and the reasons why some became no event. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Switch } from '../components/form/switch.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { CodeBlock } from '../components/text/code-block.tsx';
import { Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import { IssuedDialog } from './issued-dialog.tsx';
import {
  deleteWebhook,
  type Issued,
  rotateWebhook,
  signatureTitle,
  updateWebhook,
  type WebhookRequest,
  webhookQuery,
} from './queries.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const route = getRouteApi('/webhooks/webhook/$id');

export function WebhookPage() {
  const { id } = route.useParams();
  const query = useQuery(webhookQuery(id));
  const navigate = useNavigate();
  const mayChange = useMay('webhooks:write');
  const [asked, ask] = useState<'rotate' | 'delete' | 'edit'>();
  const [issued, setIssued] = useState<Issued>();
  const { run, problem } = useAction();
  if (!query.data) return <Unread of={query} rows={10} isPage />;
  const { webhook, requests } = query.data;
  const { name, enabled } = webhook;
  const reread = () => invalidate('/webhooks/{id}');
  const enable = (on: boolean) => void run(() => updateWebhook(id, { enabled: on })).finally(() => void reread());
  return (
    <>
      <PageHead
        title={name}
        trail={[['Webhooks', { to: '/webhooks' }]]}
        actions={
          mayChange ? (
            <>
              <span className="mr-2 inline-flex items-center gap-2">
                <Switch label={`${name} is on`} checked={enabled} onChange={enable} />
                {enabled ? 'On' : 'Off'}
              </span>
              <Button onClick={() => ask('edit')}>Edit</Button>
              <Button onClick={() => ask('rotate')}>New address</Button>
              <Button kind="danger" onClick={() => ask('delete')}>
                Delete
              </Button>
            </>
          ) : enabled ? null : (
            <span className="text-quiet">Off</span>
          )
        }
      />
      <div className="px-6 max-sm:px-4">
        {webhook.description ? <p className="max-w-200 pb-4 text-soft">{webhook.description}</p> : null}
        <ProblemNote text={problem} className="pb-4" />
        <Facts
          className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-2 pb-5"
          of={{
            Address: <span className="font-mono text-xs">{webhook.slug}</span>,
            'Signed by': webhook.signature === 'none' ? 'nobody' : signatureTitle(webhook.signature),
            'Last event': webhook.last_event ? <Moment time={webhook.last_event} /> : 'none',
            'Last refused': webhook.last_failure ? <Moment time={webhook.last_failure} /> : 'none',
            Id: <Id id={id} />,
          }}
        />
        <div className="grid grid-cols-1 items-start gap-x-10 gap-y-8 xl:grid-cols-2">
          <Section title="Template">
            <CodeBlock
              label="The template of the event"
              text={webhook.template}
              className="max-h-96 overflow-y-auto rounded-panel border border-line bg-surface px-3 py-2"
            />
          </Section>
          <Requests requests={requests} webhookId={id} />
        </div>
      </div>
      {asked === 'edit' ? (
        <WebhookDialog
          webhook={webhook}
          onClose={() => ask(undefined)}
          onSaved={(saved) => {
            ask(undefined);
            if (saved?.secret) setIssued(saved);
            void reread();
          }}
        />
      ) : null}
      <Confirm
        isOpen={asked === 'rotate'}
        onClose={() => ask(undefined)}
        question={`Give ${name} a new address?`}
        action="New address"
        onConfirm={async () => {
          setIssued(await rotateWebhook(id));
          await reread();
        }}
      >
        The old address ends at once. Senders that still use it get 404.
      </Confirm>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={() => ask(undefined)}
        question={`Delete ${name}?`}
        action="Delete webhook"
        onConfirm={async () => {
          await deleteWebhook(id);
          await invalidate('/webhooks/filter');
          await navigate({ to: '/webhooks' });
        }}
      >
        Its address ends at once, and its last requests are lost. Its events stay.
      </Confirm>
      {issued ? <IssuedDialog issued={issued} onClose={() => setIssued(undefined)} /> : null}
    </>
  );
}

function Requests({
  requests,
  webhookId,
}: {
  readonly requests: readonly WebhookRequest[];
  readonly webhookId: string;
}) {
  return (
    <Section
      title="Last requests"
      aside={
        <Link
          to="/events"
          search={{ resource: `prefect.webhook.${webhookId}`, span: '7d' }}
          className="hover:underline"
        >
          Its events
        </Link>
      }
    >
      {requests.length === 0 ? (
        <p className="border-t border-line py-2 text-quiet">Nothing has been sent to it yet.</p>
      ) : (
        <ul className="border-t border-line">
          {requests.map((request) => (
            <li
              key={request.id}
              className="ruled grid min-h-(--row) grid-cols-[6rem_2.5rem_minmax(0,1fr)] items-center gap-x-3 py-1"
            >
              <Moment time={request.received} />
              <span className={`tabular ${request.refused ? 'text-failed-text' : 'text-soft'}`}>{request.status}</span>
              <Outcome request={request} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Outcome({ request: { refused, reason, event, event_id, received } }: { readonly request: WebhookRequest }) {
  if (refused || event_id === null) return <span className="break-words text-failed-text">{reason}</span>;
  return (
    <span className="min-w-0">
      <Link
        to="/events/event/$date/$id"
        params={{ date: received.slice(0, 10), id: event_id }}
        className="truncate hover:underline"
      >
        {event}
      </Link>
      {reason ? <span className="ml-2 text-quiet">{reason}</span> : null}
    </span>
  );
}
