/** The form for the single user and password of the server. They are gone when the tab closes. */
import { useState } from 'react';
import { forgetBasicCredential, setBasicCredential } from '../../api/basic-credential.ts';
import { answered, api } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { queries } from '../../api/query-client.ts';
import { noteSignedIn } from '../../api/signed-out.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { TextField } from '../../components/form/form-fields.tsx';
import { useForm } from '../../components/form/use-form.ts';

export function BasicSignIn() {
  const form = useForm({ user: '', password: '' });
  const { user, password } = form.values;
  const [isAway, setAway] = useState(false);
  const signIn = async () => {
    setBasicCredential(user, password);
    try {
      await answered(api.GET('/admin/version'));
    } catch (error) {
      forgetBasicCredential();
      if (error instanceof Problem && error.status === 401) throw new Error('The user or the password is wrong.');
      throw error;
    }
    noteSignedIn();
    await queries.invalidateQueries();
  };
  if (isAway) return null;
  return (
    <FormDialog
      title="Sign in to this server"
      action="Sign in"
      form={form}
      isReady={user !== '' || password !== ''}
      onSubmit={signIn}
      onClose={() => setAway(true)}
    >
      <p className="text-soft">
        This server has one user and password, from SIGNALBOX_API_AUTH_STRING. This tab keeps them until it is closed or
        loaded again.
      </p>
      <TextField of={form} name="user" label="User" autoComplete="username" spellCheck={false} />
      <TextField of={form} name="password" label="Password" type="password" autoComplete="current-password" />
    </FormDialog>
  );
}
