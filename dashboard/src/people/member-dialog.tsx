/** Confirms a change of the role or the account of a member. */
import { Confirm } from '../components/dialog.tsx';
import { type AccountAction, changeAccount, changeMember, type Member, removeMember } from './queries.ts';

export type MemberChange = AccountAction | 'remove' | { readonly role: Member['role'] };

interface Words {
  readonly question: (name: string) => string;
  readonly action: string;
  readonly says: string;
}

const words: Readonly<Record<AccountAction | 'remove' | Member['role'], Words>> = {
  remove: {
    question: (name) => `Remove ${name}?`,
    action: 'Remove member',
    says: 'The membership and all grants in this organization end with the next request, for keys too. The account stays.',
  },
  admin: {
    question: (name) => `Make ${name} an administrator?`,
    action: 'Edit role',
    says: 'Administrators have every role in every workspace and server, and manage people and keys.',
  },
  member: {
    question: (name) => `Make ${name} a member?`,
    action: 'Edit role',
    says: 'The default roles and the grants of workspaces and servers remain.',
  },
  suspend: {
    question: (name) => `Suspend ${name}?`,
    action: 'Suspend person',
    says: 'Sessions, keys and devices end at once, in every organization. Memberships, grants and the password stay.',
  },
  reactivate: {
    question: (name) => `Reactivate ${name}?`,
    action: 'Reactivate person',
    says: 'The person may sign in again, with the memberships and grants as before. Keys that ended stay ended.',
  },
  unlink: {
    question: (name) => `Unlink ${name}?`,
    action: 'Unlink person',
    says: 'The server forgets who this is at the identity provider. Sessions, keys and devices end. The next sign-in with the address takes the account.',
  },
};

interface Props {
  readonly org: string;
  readonly member: Member;
  readonly change: MemberChange;
  readonly onChanged: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function MemberDialog({ org, member, change, onChanged, onClose }: Props) {
  const { question, action, says } = words[typeof change === 'object' ? change.role : change];
  const act = () => {
    if (typeof change === 'object') return changeMember(org, member.id, change.role);
    return change === 'remove' ? removeMember(org, member.id) : changeAccount(member.id, change);
  };
  return (
    <Confirm
      isOpen
      onClose={onClose}
      question={question(member.name ?? member.email)}
      action={action}
      // Suspending and unlinking affect every organization, so the address must be typed.
      {...(change === 'suspend' || change === 'unlink' ? { name: member.email } : {})}
      onConfirm={async () => {
        await act();
        await onChanged();
      }}
    >
      {says}
    </Confirm>
  );
}
