import type { ExpectedDifference, Finding } from './expected/finding.ts';
import { explain, summaryOf } from './expected-differences.ts';
import type { Step } from './generate/step.ts';
import type { StepResult } from './session.ts';
import type { Answer, Request } from './wire/http-client.ts';

const LONGEST_TEXT = 700;

interface RouteCount {
  requests: number;
  /** With a difference that is not expected and was not seen before. */
  unexplained: number;
  /** With unexplained differences that all were seen before in the same objects. */
  repeated: number;
  explained: number;
}

/** Where the reference itself failed, so that nothing could be compared. */
interface Failure {
  count: number;
  readonly request: Request;
}

interface Example {
  readonly number: number;
  readonly step: Step;
  readonly result: StepResult;
  readonly findings: readonly Finding[];
}

/** Counts the comparisons of a run and keeps the first examples of each kind of difference. */
export class Report {
  readonly #examplesPerKind: number;
  readonly #routes = new Map<string, RouteCount>();
  readonly #examples = new Map<string, Example[]>();
  readonly #expected = new Map<ExpectedDifference, number>();
  readonly #statuses = new Map<number, number>();
  readonly #failures = new Map<string, Failure>();

  constructor(examplesPerKind: number) {
    this.#examplesPerKind = examplesPerKind;
  }

  get requests(): number {
    return sum(this.#routes, (count) => count.requests);
  }

  get unexplained(): number {
    return sum(this.#routes, (count) => count.unexplained);
  }

  get explained(): number {
    return sum(this.#routes, (count) => count.explained);
  }

  /** How many routes were compared without and with unexplained differences. */
  get routes(): { passed: number; failed: number } {
    const failed = [...this.#routes.values()].filter((count) => count.unexplained > 0).length;
    return { passed: this.#routes.size - failed, failed };
  }

  add(number: number, step: Step, result: StepResult): void {
    const count = this.#countOf(step.route);
    count.requests += 1;
    const { status } = result.answers.reference;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 500) {
      const failure = this.#failures.get(step.route) ?? { count: 0, request: result.requests.reference };
      failure.count += 1;
      this.#failures.set(step.route, failure);
    }
    const { answers, requests } = result;
    const findings = result.differences.map(
      (one): Finding => ({
        ...one,
        route: step.route,
        answers,
        request: requests.reference,
        requestToUs: requests.ours,
      }),
    );
    const unexplained: Finding[] = [];
    for (const finding of findings) {
      const entry = explain(finding);
      if (entry) this.#expected.set(entry, (this.#expected.get(entry) ?? 0) + 1);
      else unexplained.push(finding);
    }
    const fresh = unexplained.filter((finding) => !finding.repeated);
    if (fresh.length > 0) count.unexplained += 1;
    else if (unexplained.length > 0) count.repeated += 1;
    else if (findings.length > 0) count.explained += 1;
    const first = fresh[0];
    if (!first) return;
    const key = `${step.route}: ${first.kind}${first.path === '' ? '' : ` of ${first.path}`}`;
    const examples = this.#examples.get(key) ?? [];
    this.#examples.set(key, examples);
    if (examples.length < this.#examplesPerKind) examples.push({ number, step, result, findings: fresh });
  }

  /** The examples, the explained differences, and the table of routes. */
  print(write: (line: string) => void): void {
    for (const [key, examples] of this.#examples) {
      write(`\n${key}`);
      for (const example of examples) printExample(example, write);
    }
    if (this.#expected.size > 0) write('\nExplained differences');
    for (const [entry, count] of this.#expected) write(`  ${String(count).padStart(5)}  ${summaryOf(entry)}`);
    if (this.#failures.size > 0) write('\nAnswers of 500 by the reference');
    for (const [route, { count, request }] of this.#failures) {
      write(`  ${String(count).padStart(5)}  ${route}, as to ${printRequest(request)}`);
    }
    const statuses = [...this.#statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    write(`\nStatuses of the reference: ${statuses.join(', ')}`);
    write('\nrequests  unexplained  repeated  explained  route');
    for (const [route, count] of [...this.#routes].sort(([a], [b]) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
      const numbers = [count.requests, count.unexplained, count.repeated, count.explained];
      const cells = numbers.map((cell, column) => String(cell || '.').padStart([8, 11, 8, 9][column] as number));
      write(`${cells.join('  ')}  ${route}`);
    }
  }

  #countOf(route: string): RouteCount {
    const count = this.#routes.get(route) ?? { requests: 0, unexplained: 0, repeated: 0, explained: 0 };
    this.#routes.set(route, count);
    return count;
  }
}

function printExample({ number, step, result, findings }: Example, write: (line: string) => void): void {
  write(`  #${number}${step.note ? ` (${step.note})` : ''}`);
  for (const side of ['reference', 'ours'] as const) {
    write(`    ${side.padEnd(9)} > ${printRequest(result.requests[side])}`);
    write(`    ${''.padEnd(9)} < ${printAnswer(result.answers[side])}`);
  }
  for (const finding of findings.slice(0, 4)) {
    write(
      `    ${finding.kind}${finding.path ? ` of ${finding.path}` : ''}: ${cut(finding.reference)} | ${cut(finding.ours)}`,
    );
  }
  if (findings.length > 4) write(`    and ${findings.length - 4} more`);
}

function printRequest({ method, path, headers, body }: Request): string {
  const { 'content-type': type, ...rest } = headers;
  const shown = type === undefined || type === 'application/json' ? rest : headers;
  const extra = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...extra, body === undefined ? '' : cut(Buffer.from(body).toString())]
    .filter(Boolean)
    .join('  ');
}

function printAnswer({ status, text }: Answer): string {
  return `${status} ${cut(text)}`.trimEnd();
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)` : text;
}

function pathOf(route: string): string {
  return route.slice(route.indexOf(' ') + 1);
}

function sum<T>(counts: ReadonlyMap<string, T>, of: (count: T) => number): number {
  return [...counts.values()].reduce((total, count) => total + of(count), 0);
}
