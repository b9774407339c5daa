import { Nullable, Shape } from '../../../schema/kinds.ts';
import { ServiceAccount } from '../../keys/service-accounts/schema.ts';
import { User } from '../../users/schema.ts';

/** The caller: `user` for a person, `serviceAccount` for a program. */
export const Me = Shape('Me', { user: Nullable(User), serviceAccount: Nullable(ServiceAccount) }, 'ignore');
