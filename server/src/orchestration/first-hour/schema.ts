/** The first hour of a workspace: which steps have arrived, and what the next one waits for. */
import { DateTime, described, Nullable, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { StateType } from '../filters/field-schema.ts';
import { FlowRunReason } from '../why/why-schema.ts';

const named = { id: Uuid(), name: Type.String() };

const run = (name: string) =>
  Shape(name, { ...named, state_type: Nullable(StateType), state_name: Nullable(Type.String()) }, 'ignore');

const FirstSample = Shape(
  'FirstHourSample',
  {
    loaded: DateTime(),
    flows: Type.Integer(),
    deployments: Type.Integer(),
    flow_runs: Type.Integer(),
  },
  'ignore',
);

export const FirstHour = Shape(
  'FirstHour',
  {
    open: described(
      Type.Boolean(),
      'True until all steps have arrived, the workspace dismisses them, or its first flow is a week old.',
    ),
    dismissed: Type.Boolean(),
    prefect_version: described(Type.String(), 'The version of the Prefect client that fits this server best.'),
    client: described(
      Nullable(Shape('FirstHourClient', { version: Type.String(), seen: DateTime() }, 'ignore')),
      'The first Prefect client that called this workspace.',
    ),
    flow: Nullable(Shape('FirstHourFlow', named, 'ignore')),
    flow_run: described(Nullable(run('FirstHourFlowRun')), 'The newest run that has begun.'),
    work_pool: described(
      Nullable(
        Shape(
          'FirstHourWorkPool',
          { ...named, type: Type.String(), is_paused: Type.Boolean(), workers_online: Type.Integer() },
          'ignore',
        ),
      ),
      'The pool of the deployment, or else the newest pool.',
    ),
    deployment: described(
      Nullable(
        Shape(
          'FirstHourDeployment',
          { ...named, flow_name: Type.String(), work_pool_name: Nullable(Type.String()) },
          'ignore',
        ),
      ),
      'The newest deployment.',
    ),
    deployment_run: described(
      Nullable(run('FirstHourDeploymentRun')),
      'The newest run of a deployment that has begun.',
    ),
    waiting: described(
      Nullable(Shape('FirstHourWait', { ...named, reasons: Type.Array(FlowRunReason) }, 'ignore')),
      'A run of a deployment that is due and has not begun, with the reasons.',
    ),
    sample: described(
      Nullable(FirstSample),
      'The sample that the workspace has loaded. Steps do not count its objects.',
    ),
  },
  'ignore',
);
export type FirstHour = Static<typeof FirstHour>;

export const FirstHourUpdate = Shape('FirstHourUpdate', { dismissed: Type.Boolean() });
