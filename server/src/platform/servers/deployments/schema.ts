import { DateTime, Enum, Nullable, Shape, Type, Uuid } from '../../../schema/kinds.ts';
import { List } from '../../page.ts';

export const Deployment = Shape(
  'ServerDeployment',
  {
    id: Uuid(),
    serverId: Uuid(),
    buildId: Uuid(),
    status: Enum('ServerDeploymentStatus', ['live', 'superseded']),
    createdAt: DateTime(),
    /** The name of the actor that deployed it. */
    createdBy: Type.String(),
    endedAt: Nullable(DateTime()),
  },
  'ignore',
);

export const DeploymentCreate = Shape('ServerDeploymentCreate', { buildId: Uuid() });

export const DeploymentList = List('ServerDeploymentList', Deployment);
