/** One server in a file: its description, its questions, and the parts of the file without effect. */

import { Field } from '../../components/form/form-dialog.tsx';
import type { OfferDraft } from './import-draft.ts';
import { emptyDraft, enteredFor, type ImportOffer, type ImportQuestion, keyOf } from './import-draft.ts';

interface Props {
  readonly offer: ImportOffer;
  /** Slug of the organization. */
  readonly org: string;
  /** Undefined if it is not chosen. */
  readonly draft: OfferDraft | undefined;
  /** False if the file has no other offer. */
  readonly isChoice: boolean;
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (draft: OfferDraft | undefined) => void;
}

export function OfferFields({ offer, org, draft, isChoice, errors, onChange }: Props) {
  const { name, source, description, problem, questions, leftOut, slug } = offer;
  const title = (
    <span className="min-w-0">
      <span className="block font-medium">{name}</span>
      <span className="block break-all font-mono text-xs text-soft">{source}</span>
      {description ? <span className="block text-soft">{description}</span> : null}
    </span>
  );
  return (
    <li className="flex flex-col gap-4 border-t border-line py-3">
      {isChoice ? (
        <label className="flex items-start gap-2.5">
          <input
            type="checkbox"
            className="mt-1"
            checked={draft !== undefined}
            disabled={problem !== null}
            onChange={(event) => onChange(event.target.checked ? emptyDraft : undefined)}
          />
          {title}
        </label>
      ) : (
        title
      )}
      {problem ? <p className="text-failed-text">{problem.message}</p> : null}
      {draft ? (
        <>
          <Field
            label="Slug"
            error={errors.get('slug')}
            hint={`Clients connect to /servers/${org}/${draft.slug || slug}/mcp.`}
          >
            <input
              className="field w-64 font-mono text-xs"
              value={draft.slug}
              placeholder={slug}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => onChange({ ...draft, slug: event.target.value })}
            />
          </Field>
          {questions.map((question) => (
            <Answer
              key={keyOf(question)}
              question={question}
              value={enteredFor(question, draft)}
              error={errors.get(keyOf(question))}
              onChange={(value) => onChange({ ...draft, values: { ...draft.values, [keyOf(question)]: value } })}
            />
          ))}
          {leftOut.length > 0 ? (
            <p className="break-words text-xs text-quiet">Without effect here: {leftOut.join(', ')}.</p>
          ) : null}
        </>
      ) : null}
    </li>
  );
}

const KINDS: Readonly<Record<ImportQuestion['field'], string>> = {
  variables: '',
  headers: 'Header ',
  environment: 'Variable ',
  arguments: 'Argument ',
};

interface AnswerProps {
  readonly question: ImportQuestion;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Answer({ question, value, error, onChange }: AnswerProps) {
  const { name, field, description, placeholder, isRequired, isSecret, isRepeated, choices } = question;
  const hint = [description, isRepeated ? 'One on each line.' : undefined].filter(Boolean).join(' ');
  const control = {
    className: 'field',
    autoComplete: 'off',
    spellCheck: false,
    placeholder: placeholder ?? undefined,
    value,
  };
  return (
    <Field label={`${KINDS[field]}${name}${isRequired ? '' : ' (optional)'}`} hint={hint} error={error}>
      {choices.length > 0 ? (
        <select className="field w-64" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">Choose</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isRepeated ? (
        <textarea {...control} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...control} type={isSecret ? 'password' : 'text'} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
