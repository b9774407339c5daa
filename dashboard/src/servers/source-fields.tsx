/** The fields of the source of a build. */
import { useMay } from '../api/access.ts';
import {
  hasFiles,
  ofTheMachine,
  type PackageRegistry,
  packageRegistries,
  type SourceForm,
  type SourceKind,
  sourceKinds,
} from './build-source.ts';
import { Field } from './field.tsx';

interface Props {
  readonly form: SourceForm;
  readonly onChange: (form: SourceForm) => void;
  readonly onFile: (file: File | undefined) => void;
  /** Problems by the field of the request. */
  readonly errors: ReadonlyMap<string, string>;
}

export function SourceFields({ form, onChange, onFile, errors }: Props) {
  const isOperator = useMay('installation:operate');
  const set = (part: Partial<SourceForm>) => onChange({ ...form, ...part });
  const kinds = sourceKinds.filter(([kind]) => isOperator || !ofTheMachine.has(kind));
  const input = (key: keyof SourceForm, placeholder: string) => (
    <input
      className="field font-mono text-xs"
      value={form[key]}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => set({ [key]: event.target.value })}
    />
  );
  return (
    <>
      <Field title="Source" error={errors.get('source')}>
        <select
          className="field w-64"
          value={form.kind}
          onChange={(event) => set({ kind: event.target.value as SourceKind })}
        >
          {optionsOf(kinds)}
        </select>
      </Field>
      {form.kind === 'git' ? (
        <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <Field title="Repository" error={errors.get('source.repository')} hint="An https address without a password.">
            {input('repository', 'https://github.com/example/greeter')}
          </Field>
          <Field title="Branch, tag or commit" error={errors.get('source.ref') ?? errors.get('source.commit')}>
            {input('revision', 'main')}
          </Field>
        </div>
      ) : null}
      {form.kind === 'package' ? (
        <>
          <div className="grid gap-4 sm:grid-cols-[8rem_minmax(0,2fr)_minmax(0,1fr)]">
            <Field title="Registry" error={errors.get('source.registryType')}>
              <select
                className="field"
                value={form.registryType}
                onChange={(event) => set({ registryType: event.target.value as PackageRegistry })}
              >
                {optionsOf(packageRegistries)}
              </select>
            </Field>
            <Field title="Package" error={errors.get('source.identifier')}>
              {input('identifier', form.registryType === 'npm' ? '@example/greeter' : 'example-greeter')}
            </Field>
            <Field title="Version" error={errors.get('source.version')} hint="An exact version. Default: the newest.">
              {input('version', '1.2.3')}
            </Field>
          </div>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              title="Program"
              error={errors.get('source.program')}
              hint="Default: the package's only program, or the program with the package's name."
            >
              {input('program', 'greeter')}
            </Field>
            {form.registryType === 'pypi' ? (
              <Field title="Extras" error={errors.get('source.extras')} hint="With commas between them.">
                {input('extras', 'http, cli')}
              </Field>
            ) : null}
          </div>
          <Field
            title="Arguments"
            error={errors.get('source.arguments')}
            hint="One on each line. They are shown with the build: keep secrets in variables."
          >
            <textarea
              className="field min-h-20 font-mono text-xs"
              spellCheck={false}
              value={form.arguments}
              onChange={(event) => set({ arguments: event.target.value })}
            />
          </Field>
        </>
      ) : null}
      {form.kind === 'archive' ? (
        <Field title="Archive" error={errors.get('source.uploadId') ?? errors.get('sizeBytes')} hint="A .tar.gz file.">
          <input
            type="file"
            accept=".tar.gz,.tgz,application/gzip"
            className="block w-full text-sm"
            onChange={(event) => onFile(event.target.files?.[0])}
          />
        </Field>
      ) : null}
      {form.kind === 'folder' ? (
        <Field title="Folder" error={errors.get('source.path')} hint="It is copied when the build starts.">
          {input('folder', '/srv/greeter')}
        </Field>
      ) : null}
      {form.kind === 'command' ? (
        <>
          <Field
            title="Command"
            error={errors.get('source.command')}
            hint="Program and arguments. Nothing is expanded. Over HTTP it listens on PORT."
          >
            {input('command', 'python -m greeter')}
          </Field>
          <Field
            title="Working directory"
            error={errors.get('source.workingDirectory')}
            hint="Default: an empty folder for each run."
          >
            {input('workingDirectory', '/srv/greeter')}
          </Field>
        </>
      ) : null}
      {hasFiles(form.kind) ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            title="Entrypoint"
            error={errors.get('entrypoint')}
            hint="main.py, server.py:mcp, dist/index.js. Default: detected."
          >
            {input('entrypoint', 'main.py')}
          </Field>
          <Field title="Dependencies" error={errors.get('dependencyPath')} hint="Default: detected.">
            {input('dependencyPath', 'requirements.txt')}
          </Field>
        </div>
      ) : null}
    </>
  );
}

function optionsOf(choices: readonly (readonly [value: string, title: string])[]) {
  return choices.map(([value, title]) => (
    <option key={value} value={value}>
      {title}
    </option>
  ));
}
