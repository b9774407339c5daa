import {
  described,
  Nullable,
  refine,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';

const MAX_SECONDS = 3_155_760_000;
const MAX_DEPLOYMENTS = 200;
const eventSeconds = Type.Integer({ minimum: 60, maximum: MAX_SECONDS });
const seconds = Type.Integer({ minimum: 3600, maximum: MAX_SECONDS });
const orNull = <Schema extends TSchema>(schema: Schema) => withDefault(Nullable(schema), null);

const DeploymentRetention = Shape('DeploymentRetention', { deploymentId: Uuid(), logSeconds: seconds });

export const RetentionPut = Shape('RetentionPut', {
  eventSeconds: described(orNull(eventSeconds), 'Since the event occurred.'),
  logSeconds: described(orNull(seconds), 'Since the log was written.'),
  flowRunSeconds: described(orNull(seconds), 'Since the run ended. The logs of a run go with it.'),
  deployments: described(
    withDefault(
      refine(Type.Array(DeploymentRetention, { maxItems: MAX_DEPLOYMENTS }), (deployments) =>
        new Set(deployments.map(({ deploymentId }) => deploymentId)).size === deployments.length
          ? undefined
          : 'must name each deployment once',
      ),
      [],
    ),
    'Deployments whose runs keep their logs for a shorter time.',
  ),
});
export type RetentionPut = Static<typeof RetentionPut>;

const answered = {
  eventSeconds: Nullable(Type.Integer()),
  logSeconds: Nullable(Type.Integer()),
  flowRunSeconds: Nullable(Type.Integer()),
};

export const Retention = Shape(
  'Retention',
  {
    ...answered,
    deployments: Type.Array(
      Shape('RetentionOfDeployment', { deploymentId: Uuid(), logSeconds: Type.Integer() }, 'ignore'),
    ),
    server: described(Shape('RetentionOfServer', answered, 'ignore'), 'How long the server keeps rows. Null: forever.'),
  },
  'ignore',
);
export type Retention = Static<typeof Retention>;
