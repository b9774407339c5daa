/** The form for the single user and password of the server. They are gone when the tab closes. */
import { useState } from 'react';
import { forgetBasicCredential, setBasicCredential } from '../api/basic-credential.ts';
import { answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { queries } from '../api/query-client.ts';
import { noteSignedIn } from '../api/signed-out.ts';
import { Field, FormDialog } from '../components/form-dialog.tsx';

export function BasicSignIn() {
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
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
      isReady={user !== '' || password !== ''}
      onSubmit={signIn}
      onClose={() => setAway(true)}
    >
      <p className="text-soft">
        This server has one user and password, from SIGNALBOX_API_AUTH_STRING. This tab keeps them until it is closed or
        loaded again.
      </p>
      <Field label="User">
        <input
          className="field"
          value={user}
          autoComplete="username"
          spellCheck={false}
          onChange={(event) => setUser(event.target.value)}
        />
      </Field>
      <Field label="Password">
        <input
          className="field"
          type="password"
          value={password}
          autoComplete="current-password"
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
