import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../../../test/support/server.ts';

test('a template is validated before it is used', async () => {
  const server = await startServer();
  assert.equal((await server.post('/templates/validate', JSON.stringify('{{ event.id }}'))).status, 204);
  assert.equal((await server.post('/templates/validate')).status, 204);
  const refused = await server.post('/templates/validate', JSON.stringify('a\n{% if x %}\n{{ a | b'));
  assert.equal(refused.status, 422);
  assert.equal(refused.headers['content-type'], 'application/json');
  assert.deepEqual(refused.body, {
    error: {
      line: 3,
      message: "unexpected end of template, expected 'end of print statement'.",
      source: 'a\n{% if x %}\n{{ a | b',
    },
  });
  const loops = await server.post(
    '/templates/validate',
    JSON.stringify('{% for a in b %}'.repeat(3) + '{% endfor %}'.repeat(3)),
  );
  assert.equal(loops.body.error.line, 0);
  assert.equal((await server.post('/templates/validate', { a: 1 })).status, 422);
  await server.stop();
});
