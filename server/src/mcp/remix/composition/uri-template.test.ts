// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stepsOf } from '../../../../test/support/steps.ts';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { MatchedText } from '../../../fairness/foreign-work/glob.ts';
import { UriTemplate } from './uri-template.ts';

const read = (uri: string) => new MatchedText(uri, new WorkAllowance());

describe('URI templates', () => {
  const cases: [template: string, fits: string[], fitsNot: string[]][] = [
    ['mem://items/{id}', ['mem://items/1', 'mem://items/a%2Fb', 'mem://items/'], ['mem://items/1/2', 'mem://item/1']],
    ['file:///{+path}', ['file:///a/b/c', 'file:///'], ['file://a']],
    ['a://{x}/b/{y}', ['a://1/b/2', 'a://b/b/b'], ['a://1/c/2', 'a://1/b/2/3']],
    ['a://{x}{y}-{z}', ['a://12-3', 'a://-', 'a://1-2-3'], ['a://12']],
    ['a://q{?page}', ['a://q?page=1', 'a://q'], ['a://p?page=1']],
    ['a://fixed', ['a://fixed'], ['a://fixed/', 'a://fixe']],
  ];
  for (const [text, fits, fitsNot] of cases) {
    test(text, () => {
      const template = new UriTemplate(text);
      for (const uri of fits) assert.ok(template.matches(read(uri)), uri);
      for (const uri of fitsNot) assert.ok(!template.matches(read(uri)), uri);
    });
  }

  test('many expressions take steps that grow with their number, not with its power', async () => {
    const template = new UriTemplate(`a:${'{+x}b'.repeat(50)}`);
    const steps = await stepsOf(() => assert.ok(!template.matches(read(`a:${'b'.repeat(8000)}c`))));
    assert.ok(steps < 10 * 50 * 8000, `${steps} steps`);
  });
});
