/**
 * Every place that evaluates a text which users write, with what bounds it. A new one fails until it is listed, so that
 * somebody says what it may cost.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const sources = join(import.meta.dirname, '../../src');

/** How such a text is evaluated: a call in our code, by what it evaluates. */
const CALLS: Readonly<Record<string, RegExp>> = {
  'regular expression': /\b(?:new RegExp|RE2JS\.compile)\(/,
  glob: /\b(?:new Glob|parseGlob)\(/,
  'label pattern': /\b(?:new LabelTest|compileLabelPattern|compileNamePattern)\b/,
  'URI template': /\bnew UriTemplate\(/,
  search: /\bmatchesTextQuery\(/,
  template: /\bnew Template\(/,
  schema: /\b(?:new Walk|validateParameters|compilePattern)\(/,
  schedule: /\b(?:scheduleDates|parseCron|parseRecurrence)\(/,
};

const ALLOWANCE = 'draws from a WorkAllowance';
const OWN_TEXT = 'the expression is ours, not a user’s';
const PARSED = 'is only read here, not evaluated';
const TEMPLATE = 'draws from the allowance of its request by templates/budget.ts';
const SCHEMA = 'draws from the allowance of its request by json-schema/walk.ts';
const STEPS = 'draws from the allowance of its request by schedules/work-budget.ts';
/** Where a request, a message or an action begins, with an allowance of its own. */
const ENTRIES = [
  'http/pipelines/stages.ts',
  'http/local-api.ts',
  'orchestration/automations/actions/perform.ts',
  'orchestration/deployments/refill.ts',
];

/** What bounds the evaluations of each file, by what is evaluated. */
const BOUNDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'database/lists/large-values.ts': { 'regular expression': OWN_TEXT },
  'database/lists/text-search.ts': { search: ALLOWANCE },
  'events/label-pattern.ts': { glob: ALLOWANCE },
  'events/live-filter.ts': { 'label pattern': ALLOWANCE, search: ALLOWANCE },
  'fairness/foreign-work/glob.ts': { glob: ALLOWANCE },
  'http/request/hosted-address.ts': { 'regular expression': OWN_TEXT },
  'http/documents/no-route.ts': { 'regular expression': OWN_TEXT },
  'http/pipelines/oauth-pipeline.ts': { 'regular expression': OWN_TEXT },
  'http/sockets/websocket.ts': { 'regular expression': OWN_TEXT },
  'identity/keys/api-keys.ts': { 'regular expression': OWN_TEXT },
  'json-schema/patterns.ts': { 'regular expression': SCHEMA, schema: SCHEMA },
  'json-schema/validate.ts': { schema: SCHEMA },
  'json-schema/walk.ts': { schema: SCHEMA },
  'mcp/builtin/offer/resources.ts': { 'regular expression': OWN_TEXT },
  'mcp/credentials/protected-resource.ts': { 'regular expression': OWN_TEXT },
  'mcp/gateway/decide/policy.ts': { glob: ALLOWANCE },
  'mcp/quotas/limits.ts': { glob: ALLOWANCE },
  'mcp/remix/composition/composition.ts': { 'URI template': ALLOWANCE },
  'mcp/hosting/launch/packages.ts': { 'regular expression': OWN_TEXT },
  'network/platform-cookies.ts': { 'regular expression': OWN_TEXT },
  'orchestration/automations/action-templates.ts': { template: PARSED },
  'orchestration/automations/actions/prepare-outgoing.ts': { template: TEMPLATE },
  'orchestration/automations/actions/run-deployment.ts': { template: PARSED },
  'orchestration/automations/actions/template-context.ts': { template: TEMPLATE },
  'orchestration/automations/triggers/compile.ts': { 'label pattern': ALLOWANCE },
  'orchestration/automations/triggers/patterns.ts': { glob: ALLOWANCE, 'label pattern': ALLOWANCE },
  'orchestration/backfills/dates.ts': { schedule: STEPS },
  'orchestration/deployments/parameter-checks.ts': { schema: SCHEMA },
  'orchestration/deployments/scheduled-runs.ts': { schedule: STEPS },
  'orchestration/deployments/schema.ts': { schema: SCHEMA },
  'orchestration/logs/live-filter.ts': { search: ALLOWANCE },
  'orchestration/logs/search/words.ts': { 'regular expression': OWN_TEXT },
  'orchestration/parameters/hydration.ts': { template: TEMPLATE },
  'orchestration/parameters/job-template.ts': { schema: SCHEMA },
  'orchestration/parameters/job-variables.ts': { schema: SCHEMA },
  'orchestration/parameters/parameter-schema.ts': { schema: SCHEMA },
  'orchestration/runs/flow-runs/resume.ts': { schema: SCHEMA },
  'orchestration/template-checks/routes.ts': { template: PARSED },
  'orchestration/views/work/next-starts.ts': { schedule: STEPS },
  'orchestration/views/work/schedule.ts': { schedule: STEPS },
  'orchestration/webhooks/event-of-request.ts': { template: TEMPLATE },
  'orchestration/webhooks/schema.ts': { template: PARSED },
  'orchestration/work/pools/on-demand.ts': { 'regular expression': OWN_TEXT },
  'orchestration/work/request-schema.ts': { 'regular expression': OWN_TEXT },
  'schedules/cron.ts': { schedule: PARSED },
  'schedules/recurrence.ts': { schedule: PARSED },
  'schedules/schedule-dates.ts': { schedule: STEPS },
  'schema/decode-scalars.ts': { 'regular expression': OWN_TEXT },
  'schema/parse-datetime.ts': { 'regular expression': OWN_TEXT },
  'encryption/mask.ts': { 'regular expression': OWN_TEXT },
};

describe('texts of users', () => {
  const files = globSync('**/*.ts', { cwd: sources, exclude: (path) => path.endsWith('.test.ts') });
  const found = files.flatMap((file) => {
    const code = readFileSync(join(sources, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      .replace(/^import [^;]*;$/gm, '');
    return Object.entries(CALLS).flatMap(([kind, call]) => (call.test(code) ? [`${file}: ${kind}`] : []));
  });

  test('each place that evaluates one is listed with what bounds it', () => {
    const listed = Object.entries(BOUNDS).flatMap(([file, kinds]) =>
      Object.keys(kinds).map((kind) => `${file}: ${kind}`),
    );
    assert.deepEqual(found.toSorted(), listed.toSorted());
  });

  test('a place that is said to draw from an allowance names it', () => {
    for (const [file, kinds] of Object.entries(BOUNDS)) {
      if (!Object.values(kinds).includes(ALLOWANCE)) continue;
      assert.match(readFileSync(join(sources, file), 'utf8'), /\b(?:WorkAllowance|MatchedText|matchesWithin)\b/, file);
    }
  });

  test('templates, schemas, cron and RRULE draw from the allowance of their request, which each kind of entry makes', () => {
    for (const bound of [TEMPLATE, SCHEMA, STEPS]) {
      const home = bound.split(' by ')[1]!;
      assert.match(readFileSync(join(sources, home), 'utf8'), /\bevaluationWork\(\)/, home);
    }
    for (const entry of ENTRIES) assert.match(readFileSync(join(sources, entry), 'utf8'), /\basOneRequest\(/, entry);
  });
});
