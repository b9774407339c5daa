/** Starts a build, by default from the source of the last one. */
import { useNavigate } from '@tanstack/react-router';
import { invalidate } from '../../api/read.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { CheckField } from '../../components/form/form-fields.tsx';
import { partOf, useForm } from '../../components/form/use-form.ts';
import type { ServerPath } from '../queries.ts';
import { buildOf, emptySource, formOf } from './build-source.ts';
import { type Build, sendArchive, startBuild } from './hosted-queries.ts';
import { SourceFields } from './source-fields.tsx';

interface Props {
  readonly path: ServerPath;
  readonly last: Build | undefined;
  readonly onClose: () => void;
}

export function BuildDialog({ path, last, onClose }: Props) {
  const navigate = useNavigate({ from: '/servers/$server' });
  const form = useForm(
    {
      source: last ? formOf(last.source, last.entrypoint, last.dependencyPath) : emptySource,
      file: undefined as File | undefined,
      deploy: true,
    },
    'stacked',
    ['source'],
  );
  const { source, file, deploy } = form.values;
  const start = async () => {
    const upload = source.kind === 'archive' && file ? await sendArchive(path, file) : undefined;
    const build = await startBuild(path, buildOf(source, deploy, upload));
    await invalidate('/organizations/{org}/servers/{server}/builds');
    void navigate({ search: (old) => ({ ...old, build: build.id }) });
    onClose();
  };
  return (
    <FormDialog
      title="New build"
      action="Start the build"
      width="wide"
      form={form}
      isReady={source.kind !== 'archive' || file !== undefined}
      lack="Choose an archive first"
      onSubmit={start}
      onClose={onClose}
    >
      <SourceFields
        of={{ ...partOf(form, 'source'), problems: form.problems }}
        onFile={(chosen) => form.set({ file: chosen })}
      />
      <CheckField of={form} name="deploy" label="Deploy it if its program answers" />
    </FormDialog>
  );
}
