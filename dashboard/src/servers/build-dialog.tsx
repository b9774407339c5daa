/** Starts a build, by default from the source of the last one. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useAction } from '../components/use-action.ts';
import { buildOf, emptySource, formOf } from './build-source.ts';
import { type Build, sendArchive, startBuild } from './hosted-queries.ts';
import type { ServerPath } from './queries.ts';
import { SourceFields } from './source-fields.tsx';

interface Props {
  readonly path: ServerPath;
  readonly last: Build | undefined;
  readonly onClose: () => void;
}

export function BuildDialog({ path, last, onClose }: Props) {
  const navigate = useNavigate({ from: '/servers/$server' });
  const [form, setForm] = useState(last ? formOf(last.source, last.entrypoint, last.dependencyPath) : emptySource);
  const [file, setFile] = useState<File>();
  const [deploy, setDeploy] = useState(true);
  const action = useAction();
  const lacksFile = form.kind === 'archive' && !file;
  const start = () =>
    action.run(async () => {
      const upload = form.kind === 'archive' && file ? await sendArchive(path, file) : undefined;
      const build = await startBuild(path, buildOf(form, deploy, upload));
      await invalidate('/organizations/{org}/servers/{server}/builds');
      void navigate({ search: (old) => ({ ...old, build: build.id }) });
      onClose();
    });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New build"
      width="wide"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            disabled={action.isBusy || lacksFile}
            title={lacksFile ? 'Choose an archive first' : undefined}
            onClick={() => void start()}
          >
            Start the build
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SourceFields form={form} onChange={setForm} onFile={setFile} errors={action.fields} />
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={deploy} onChange={(event) => setDeploy(event.target.checked)} />
          Deploy it if its program answers
        </label>
        {action.fields.size === 0 ? <ProblemNote text={action.problem} /> : null}
      </div>
    </Dialog>
  );
}
