import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultsOf, withDefaults, withoutRequired } from './pool-template.ts';

const template = {
  job_configuration: { command: '{{ command }}' },
  variables: {
    type: 'object',
    required: ['image'],
    properties: {
      image: { type: 'string', title: 'Image' },
      memory: { type: 'integer', default: 512 },
      command: { type: 'string', default: null },
    },
  },
};

test('the form of a pool holds the defaults that its template has', () => {
  assert.deepEqual(defaultsOf(template), { memory: 512 });
  assert.deepEqual(withoutRequired(template), { type: 'object', properties: template.variables.properties });
});

test('a template with the defaults that it has is the same template', () => {
  assert.deepEqual(withDefaults(template, defaultsOf(template)), template);
});

test('a default is set, changed and taken away, and the rest of the template stays', () => {
  const { variables, ...rest } = withDefaults(template, { image: 'python:3.12', command: '' }) as typeof template;
  assert.deepEqual(variables.properties, {
    image: { type: 'string', title: 'Image', default: 'python:3.12' },
    memory: { type: 'integer' },
    command: { type: 'string', default: '' },
  });
  assert.deepEqual(variables.required, ['image']);
  assert.deepEqual(rest, { job_configuration: template.job_configuration });
});

test('a template without variables has no defaults', () => {
  for (const odd of [{}, { variables: null }, { variables: [] }, { variables: { properties: 'x' } }]) {
    assert.deepEqual(defaultsOf(odd), {});
  }
});
