import { Shape } from '../../../schema/kinds.ts';
import { EmailAddress, Password } from '../sessions/schema.ts';

export const ResetRequest = Shape('ResetRequest', { email: EmailAddress }, 'ignore');
export const NewPassword = Shape('NewPassword', { password: Password }, 'ignore');
