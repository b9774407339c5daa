/** Mails a notification to members of the organization, through the mail server of this server. */
import type { Context } from '../../../../context/context.ts';
import { workspaces } from '../../../../database/workspaces.ts';
import { normalEmail } from '../../../../identity/people/email-address.ts';
import { findAdministrators, findMemberToMail } from '../../../../identity/people/member-addresses.ts';
import { notificationLetter } from '../../../../mail/letter.ts';
import type { Message } from './services.ts';

/**
 * Returns a line for each recipient who got no mail. Mails only go to members of the organization, whatever the block
 * names. More recipients than `most` are refused as a whole.
 */
export async function mailMembers(
  context: Context,
  data: Readonly<Record<string, unknown>>,
  { subject, body }: Message,
  most: number,
  signal: AbortSignal,
): Promise<string[]> {
  const { server, workspace } = context;
  const db = server.store.platform.reads({ background: true });
  const place = await workspaces.first(db, { key: workspace });
  if (!place) return ['[ERROR]: The workspace was deleted.'];
  const { organization_id } = place;
  const named = Array.isArray(data['to_emails']) ? data['to_emails'] : [];
  const wanted = [...new Set(named.filter((one) => typeof one === 'string').map((one) => normalEmail(one.trim())))];
  const recipients =
    wanted.length > 0
      ? wanted
      : (await db.all(findAdministrators, { organization_id, limit: most + 1 })).map(({ email }) => email);
  if (recipients.length === 0) return ['[ERROR]: There are no recipients to notify.'];
  if (recipients.length > most) return [`[ERROR]: There are more than ${most} recipients.`];
  const faults: string[] = [];
  for (const to of recipients) {
    if (!(await db.first(findMemberToMail, { organization_id, email: to }))) {
      faults.push(`[ERROR]: ${to} is not an active member of the organization.`);
      continue;
    }
    const letter = notificationLetter(to, subject, body, place.name);
    const delivery = await server.mail.send(letter, { organizationId: organization_id }, signal);
    if (!delivery.sent) faults.push(`[WARNING]: ${to}: ${delivery.reason}`);
  }
  return faults;
}
