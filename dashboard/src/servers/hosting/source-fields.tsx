/** The fields of the source of a build. */
import { useMay } from '../../api/access.ts';
import { Field } from '../../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../../components/form/form-fields.tsx';
import { byLastName, type Part } from '../../components/form/use-form.ts';
import { hasFiles, ofTheMachine, packageRegistries, type SourceForm, sourceKinds } from './build-source.ts';

interface Props {
  readonly of: Part<SourceForm>;
  readonly onFile: (file: File | undefined) => void;
}

export function SourceFields({ of: given, onFile }: Props) {
  const isOperator = useMay('installation:operate');
  const of = byLastName(given);
  const { kind } = of.values;
  const kinds = sourceKinds.filter(([one]) => isOperator || !ofTheMachine.has(one));
  const text = { of, isMono: true } as const;
  return (
    <>
      <ChoiceField
        of={of}
        name="kind"
        label="Source"
        choices={kinds}
        className="w-64"
        error={problemOf(of, 'source')}
      />
      {kind === 'git' ? <GitFields of={of} /> : null}
      {kind === 'package' ? <PackageFields of={of} /> : null}
      {kind === 'archive' ? (
        <Field label="Archive" error={problemOf(of, 'uploadId', 'sizeBytes')} hint="A .tar.gz file.">
          <input
            type="file"
            accept=".tar.gz,.tgz,application/gzip"
            className="block w-full text-sm"
            onChange={(event) => onFile(event.target.files?.[0])}
          />
        </Field>
      ) : null}
      {kind === 'folder' ? (
        <TextField
          {...text}
          name="path"
          label="Folder"
          placeholder="/srv/greeter"
          hint="It is copied when the build starts."
        />
      ) : null}
      {kind === 'command' ? (
        <>
          <TextField
            {...text}
            name="command"
            label="Command"
            placeholder="python -m greeter"
            hint="Program and arguments. Nothing is expanded. Over HTTP it listens on PORT."
          />
          <TextField
            {...text}
            name="workingDirectory"
            label="Working directory"
            placeholder="/srv/greeter"
            hint="Default: an empty folder for each run."
          />
        </>
      ) : null}
      {hasFiles(kind) ? <FileFields of={of} /> : null}
    </>
  );
}

interface PartProps {
  readonly of: Part<SourceForm>;
}

function problemOf({ problems }: Part<SourceForm>, ...names: readonly string[]): string | undefined {
  return names.map((name) => problems.get(name)).find((problem) => problem !== undefined);
}

function GitFields({ of }: PartProps) {
  const text = { of, isMono: true } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <TextField
        {...text}
        name="repository"
        label="Repository"
        placeholder="https://github.com/example/greeter"
        hint="An https address without a password."
      />
      <TextField
        {...text}
        name="revision"
        label="Branch, tag or commit"
        placeholder="main"
        error={problemOf(of, 'ref', 'commit')}
      />
    </div>
  );
}

function PackageFields({ of }: PartProps) {
  const { registryType } = of.values;
  const text = { of, isMono: true } as const;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[8rem_minmax(0,2fr)_minmax(0,1fr)]">
        <ChoiceField of={of} name="registryType" label="Registry" choices={packageRegistries} />
        <TextField
          {...text}
          name="identifier"
          label="Package"
          placeholder={registryType === 'npm' ? '@example/greeter' : 'example-greeter'}
        />
        <TextField
          {...text}
          name="version"
          label="Version"
          placeholder="1.2.3"
          hint="An exact version. Default: the newest."
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...text}
          name="program"
          label="Program"
          placeholder="greeter"
          hint="Default: the package's only program, or the program with the package's name."
        />
        {registryType === 'pypi' ? (
          <TextField {...text} name="extras" label="Extras" placeholder="http, cli" hint="With commas between them." />
        ) : null}
      </div>
      <TextField
        {...text}
        name="arguments"
        label="Arguments"
        rows={4}
        className="min-h-20"
        hint="One on each line. They are shown with the build: keep secrets in variables."
      />
    </>
  );
}

/** The files that a build reads, unless the program is known without them. */
function FileFields({ of }: PartProps) {
  const text = { of, isMono: true } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        {...text}
        name="entrypoint"
        label="Entrypoint"
        placeholder="main.py"
        hint="main.py, server.py:mcp, dist/index.js. Default: detected."
      />
      <TextField
        {...text}
        name="dependencyPath"
        label="Dependencies"
        placeholder="requirements.txt"
        hint="Default: detected."
      />
    </div>
  );
}
