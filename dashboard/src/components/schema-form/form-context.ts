/** Fields tell the form around them whether they contain a text that is not a value yet. */
import type { FieldProblem } from '../../api/problem.ts';

export interface FormContext {
  /** Undefined when the field contains a value again. */
  readonly setBroken: (id: string, problem: FieldProblem | undefined) => void;
}
