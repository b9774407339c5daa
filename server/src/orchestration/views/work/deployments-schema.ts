import {
  DateTime,
  described,
  Maybe,
  Nullable,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { DeploymentSchedule } from '../../deployments/schedules/schema.ts';
import { DeploymentResponse } from '../../deployments/schema.ts';
import { Tags } from '../../filters/field-schema.ts';
import { FlowRunReason } from '../../why/why-schema.ts';
import { RunRow } from '../runs/run-row.ts';
import { NamePosition, nextPage } from './named-page.ts';
import { NextStart, RunBar } from './recent-runs.ts';

export const DeploymentsViewBody = Parts(
  {
    name: described(Maybe(Type.String({ maxLength: 200 })), 'Part of the name of the deployment or of its flow.'),
    tag: Maybe(Type.String({ maxLength: 200 })),
    flow_id: Maybe(Uuid()),
    work_pool: described(Maybe(Type.String({ maxLength: 200 })), 'Name of the work pool.'),
    work_queue_id: Maybe(Uuid()),
    paused: Maybe(Type.Boolean()),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 100),
    after: described(Maybe(NamePosition), 'The `next` of the previous page.'),
  },
  'Body_read_deployments_view_views_deployments_post',
);
export type DeploymentsViewBody = Static<typeof DeploymentsViewBody>;

const reasons = described(
  Type.Array(FlowRunReason),
  'Reasons that prevent its runs from starting or from being scheduled; empty if there are none.',
);

const DeploymentRow = Shape(
  'DeploymentRow',
  {
    id: Uuid(),
    name: Type.String(),
    flow_id: Uuid(),
    flow_name: Type.String(),
    tags: Tags,
    paused: Type.Boolean(),
    work_pool_name: Nullable(Type.String()),
    work_queue_name: Nullable(Type.String()),
    schedules: Type.Array(DeploymentSchedule),
    late: described(Type.Integer(), 'Runs that should have started.'),
    last_runs: described(Type.Array(RunBar), 'The newest 16.'),
    next_run: Nullable(NextStart),
    reasons,
  },
  'ignore',
);

export const DeploymentsView = Shape(
  'DeploymentsView',
  { as_of: DateTime(), deployments: Type.Array(DeploymentRow), ...nextPage },
  'ignore',
);

export const DeploymentView = Shape(
  'DeploymentView',
  {
    as_of: DateTime(),
    deployment: DeploymentResponse,
    flow: Shape('FlowOfDeployment', { id: Uuid(), name: Type.String() }, 'ignore'),
    work_pool: Nullable(
      Shape(
        'WorkPoolOfDeployment',
        {
          name: Type.String(),
          type: Type.String(),
          workers_online: Type.Integer(),
          last_heartbeat: Nullable(DateTime()),
        },
        'ignore',
      ),
    ),
    reasons,
    late: described(Type.Integer(), 'Runs that should have started.'),
    next_run: Nullable(NextStart),
    runs: described(Type.Array(RunRow), 'The newest 50 runs that are due.'),
    versions: described(
      Type.Array(
        Shape(
          'DeploymentVersion',
          {
            version: Nullable(Type.String()),
            runs: Type.Integer(),
            first: Nullable(DateTime()),
            last: Nullable(DateTime()),
          },
          'ignore',
        ),
      ),
      'Versions of the newest 1,000 runs, the latest first.',
    ),
  },
  'ignore',
);
