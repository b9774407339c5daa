/** Templates for a new automation. */
import type { Action } from './queries.ts';
import { eventForm, failureStates, stateForm, type TriggerForm } from './trigger-form.ts';

export interface Template {
  readonly key: string;
  readonly title: string;
  readonly form: TriggerForm;
  readonly actions: readonly Action[];
}

const notification = (subject: string, body: string): Action => ({
  type: 'send-notification',
  block_document_id: '',
  subject,
  body,
});

const aboutRun = [
  'State: {{ flow_run.state.name }}',
  'Message: {{ flow_run.state.message }}',
  '{{ flow_run|ui_url }}',
].join('\n');

export const templates: readonly Template[] = [
  {
    key: 'run-failed',
    title: 'Notify when a run fails or crashes',
    form: stateForm('flow-run', failureStates, { topOnly: true }),
    actions: [notification('{{ flow.name }}/{{ flow_run.name }} {{ flow_run.state.name }}', aboutRun)],
  },
  {
    key: 'run-stuck',
    title: 'Cancel a run that runs for more than an hour',
    form: stateForm('flow-run', ['Running'], { posture: 'stays', seconds: 3600 }),
    actions: [{ type: 'cancel-flow-run' }],
  },
  {
    key: 'pool-not-ready',
    title: 'Notify when a work pool loses its workers',
    form: stateForm('work-pool', ['not-ready']),
    actions: [
      notification('Work pool {{ work_pool.name }} is not ready', 'No worker polls it.\n{{ work_pool|ui_url }}'),
    ],
  },
  {
    key: 'deployment-not-ready',
    title: 'Notify when a deployment is not ready',
    form: stateForm('deployment', ['not-ready']),
    actions: [notification('Deployment {{ deployment.name }} is not ready', '{{ deployment|ui_url }}')],
  },
  {
    key: 'run-after-event',
    title: 'Run a deployment when an event occurs',
    form: eventForm({ posture: 'Reactive', expect: ['order.placed'] }),
    actions: [{ type: 'run-deployment', source: 'selected', deployment_id: '', parameters: {} } as Action],
  },
  {
    key: 'nothing-happens',
    title: 'Notify when an event has not come for an hour',
    form: eventForm({ posture: 'Proactive', expect: ['order.placed'], within: 3600 }),
    actions: [notification('No order for an hour', 'No order.placed event came within the hour.')],
  },
];

/** For a cause of failures, which has an event of its own when it comes again. */
export function templateOfCause(id: string, name: string): Template {
  const events = ['created', 'repeated', 'regressed'].map((what) => `prefect.failure-cause.${what}`);
  return {
    key: 'cause',
    title: `Notify of ${name || 'a cause of failures'}`,
    form: eventForm({
      posture: 'Reactive',
      expect: events,
      match: { 'prefect.resource.id': `prefect.failure-cause.${id}` },
    }),
    actions: [
      notification(
        '{{ event.resource.name }} failed again',
        'It has failed {{ event.payload.count }} times: {{ event.payload.cause }}',
      ),
    ],
  };
}
