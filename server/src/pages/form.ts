/** The fields of forms, and their messages about the input. */
import type { ValidationIssue } from '../errors.ts';
import { type Html, html } from './html.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  /** The previous input; never a password. */
  readonly value?: string | undefined;
  readonly hint?: string;
  /** The error message for the input. */
  readonly problem?: string | undefined;
  readonly optional?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly className?: string;
  readonly focus?: boolean;
}

export function field(given: Field): Html {
  const { name, label, type, autocomplete, value, hint, problem, minLength, maxLength, className } = given;
  const described = problem ? `${name}-problem` : hint ? `${name}-hint` : undefined;
  return html`<div class="field">
    <label for="${name}">${label}${given.optional ? html` <span class="quiet">(optional)</span>` : undefined}</label>
    <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${value && html` value="${value}"`}${
      minLength && html` minlength="${minLength}"`
    }${maxLength && html` maxlength="${maxLength}"`}${className && html` class="${className}"`}${
      given.optional ? undefined : html` required`
    }${given.focus || problem ? html` autofocus` : undefined}${problem && html` aria-invalid="true"`}${
      described && html` aria-describedby="${described}"`
    }>
    ${hint && !problem ? html`<span class="hint" id="${name}-hint">${hint}</span>` : undefined}
    ${problem && html`<span class="problem" id="${name}-problem">${problem}</span>`}
  </div>`;
}

/** The token that keeps other sites from sending a form of a session; see `http/pipelines/page-pipeline.ts`. */
export function csrfField(token: string | undefined): Html {
  return html`<input type="hidden" name="csrf_token" value="${token ?? ''}">`;
}

export function complaint(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="notice bad" role="alert">${text}</p>`;
}

/** The sentence for each invalid field, by its name. */
export type Problems = Readonly<Record<string, string | undefined>>;

export function problemsOf(issues: readonly ValidationIssue[], sentences: Readonly<Record<string, string>>): Problems {
  return Object.fromEntries(issues.map(({ loc }) => [String(loc[1]), sentences[String(loc[1])]]));
}
