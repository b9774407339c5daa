import { answerOf } from '../../answer-of.ts';
import { Deployment } from './schema.ts';

export const deploymentOf = answerOf(Deployment, { createdBy: 'actor_name' });
