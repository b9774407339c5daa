import { Shape, type Static } from '../../../schema/kinds.ts';
import { DisplayName } from '../../fields.ts';
import { EmailAddress, Password } from '../sessions/schema.ts';

export const SetUp = Shape('SetUp', { name: DisplayName, email: EmailAddress, password: Password }, 'ignore');
export type SetUp = Static<typeof SetUp>;
