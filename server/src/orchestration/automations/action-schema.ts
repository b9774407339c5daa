/**
 * The actions of an automation as clients write them; `actions/` carries them out. Source: `POST /automations/` of the
 * Prefect server 3.9.1, with which server/test/reference compares; docs.prefect.io/v3/concepts/automations.
 */
import {
  branch,
  Duration,
  JsonObject,
  Literal,
  Maybe,
  OneOf,
  prepare,
  refine,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { StateType } from '../filters/field-schema.ts';
import { indentedJson, parametersFault, templateFault } from './action-templates.ts';

function typed<const Name extends string>(name: Name) {
  return { type: withDefault(Literal(name), name) };
}

const source = withDefault(OneOf(['selected', 'inferred']), 'selected');

/** An action on an object that it names (`selected`), or that the triggering event names (`inferred`). */
function chosen<T extends TSchema>(kind: string, schema: T): T {
  const field = `${kind}_id`;
  const refined = refine(schema, (action) => {
    const given = action as Readonly<Record<string, unknown>>;
    const isNamed = given[field] !== undefined && given[field] !== null;
    if (given['source'] === 'selected') return isNamed ? undefined : `${field} is required`;
    return isNamed ? `${field} is not allowed` : undefined;
  });
  const { $id } = schema as { $id?: string };
  return branch(`function-after[selected_${kind}_requires_id(), ${$id}]`, refined);
}

function template(name: string, schema: ReturnType<typeof Type.String>) {
  return refine(schema, (text) => {
    const fault = templateFault(text);
    return fault === undefined ? undefined : `'${name}' is not a valid template: ${fault}`;
  });
}

const DoNothing = Shape('DoNothing', typed('do-nothing'), 'ignore');

const RunDeployment = chosen(
  'deployment',
  Shape(
    'RunDeployment',
    {
      ...typed('run-deployment'),
      source,
      deployment_id: Maybe(Uuid()),
      parameters: Maybe(refine(JsonObject(), parametersFault)),
      job_variables: Maybe(JsonObject()),
      /** Seconds from the firing to the start of the run. */
      schedule_after: withDefault(
        refine(Duration({ minimum: 0 }), (seconds) =>
          seconds < 0 ? 'schedule_after must be non-negative' : undefined,
        ),
        0,
      ),
    },
    'ignore',
  ),
);

const onDeployment = { source, deployment_id: Maybe(Uuid()) };
const PauseDeployment = chosen(
  'deployment',
  Shape('PauseDeployment', { ...typed('pause-deployment'), ...onDeployment }, 'ignore'),
);
const ResumeDeployment = chosen(
  'deployment',
  Shape('ResumeDeployment', { ...typed('resume-deployment'), ...onDeployment }, 'ignore'),
);

const CancelFlowRun = Shape('CancelFlowRun', typed('cancel-flow-run'), 'ignore');
const DeleteFlowRun = Shape('DeleteFlowRun', typed('delete-flow-run'), 'ignore');
const SuspendFlowRun = Shape('SuspendFlowRun', typed('suspend-flow-run'), 'ignore');
const ResumeFlowRun = Shape('ResumeFlowRun', typed('resume-flow-run'), 'ignore');

const ChangeFlowRunState = Shape(
  'ChangeFlowRunState',
  {
    ...typed('change-flow-run-state'),
    name: Maybe(Type.String()),
    state: StateType,
    message: Maybe(Type.String()),
    force: withDefault(Type.Boolean(), false),
  },
  'ignore',
);

const onWorkQueue = { source, work_queue_id: Maybe(Uuid()) };
const PauseWorkQueue = chosen(
  'work_queue',
  Shape('PauseWorkQueue', { ...typed('pause-work-queue'), ...onWorkQueue }, 'ignore'),
);
const ResumeWorkQueue = chosen(
  'work_queue',
  Shape('ResumeWorkQueue', { ...typed('resume-work-queue'), ...onWorkQueue }, 'ignore'),
);

const onWorkPool = { source, work_pool_id: Maybe(Uuid()) };
const PauseWorkPool = chosen(
  'work_pool',
  Shape('PauseWorkPool', { ...typed('pause-work-pool'), ...onWorkPool }, 'ignore'),
);
const ResumeWorkPool = chosen(
  'work_pool',
  Shape('ResumeWorkPool', { ...typed('resume-work-pool'), ...onWorkPool }, 'ignore'),
);

const onAutomation = { source, automation_id: Maybe(Uuid()) };
const PauseAutomation = chosen(
  'automation',
  Shape('PauseAutomation', { ...typed('pause-automation'), ...onAutomation }, 'ignore'),
);
const ResumeAutomation = chosen(
  'automation',
  Shape('ResumeAutomation', { ...typed('resume-automation'), ...onAutomation }, 'ignore'),
);

const SendNotification = Shape(
  'SendNotification',
  {
    ...typed('send-notification'),
    block_document_id: Uuid(),
    subject: withDefault(template('subject', Type.String()), 'Prefect automated notification'),
    body: template('body', Type.String()),
  },
  'ignore',
);

const CallWebhook = Shape(
  'CallWebhook',
  {
    ...typed('call-webhook'),
    block_document_id: Uuid(),
    /** A value other than text becomes its indented JSON. */
    payload: withDefault(
      prepare(template('payload', Type.String()), (input) => ({
        value: typeof input === 'string' || input === null ? input : indentedJson(input),
      })),
      '',
    ),
  },
  'ignore',
);

/** The order in which the kinds are tried, and in which the issues are listed if none fits. */
export const Action = Type.Union([
  DoNothing,
  RunDeployment,
  PauseDeployment,
  ResumeDeployment,
  CancelFlowRun,
  DeleteFlowRun,
  ChangeFlowRunState,
  PauseWorkQueue,
  ResumeWorkQueue,
  SendNotification,
  CallWebhook,
  PauseAutomation,
  ResumeAutomation,
  SuspendFlowRun,
  ResumeFlowRun,
  PauseWorkPool,
  ResumeWorkPool,
]);
export type Action = Static<typeof Action>;
