/**
 * An official TypeScript client: `client.mjs <v1|v2> <url> <key> <server>`. Uses everything that the server offers,
 * asserts the answers, and prints one line for each feature that works.
 */
import assert from 'node:assert/strict';

const [generation, address, key, peer, narrow] = process.argv.slice(2);
const requestInit = { headers: { authorization: `Bearer ${key}` } };
const capabilities = { sampling: {}, elicitation: {}, roots: {} };
const { client, connect } = generation === 'v1' ? await firstGeneration() : await secondGeneration();
const done = (what) => console.log(`ok ${what}`);
await connect();
done('connect');

// The policy allows only the tool `echo`.
if (narrow) {
  for (const attempt of [
    () => client.callTool({ name: 'test_simple_text', arguments: {} }),
    () => client.readResource({ uri: 'test://static-text' }),
    () => client.getPrompt({ name: 'test_simple_prompt' }),
  ]) {
    const given = AbortSignal.timeout(10_000);
    const late = new Promise((resolve) => given.addEventListener('abort', () => resolve('hangs')));
    const outcome = await Promise.race([
      attempt().then(
        () => 'answered',
        () => 'refused',
      ),
      late,
    ]);
    assert.equal(outcome, 'refused');
  }
  done('refused');
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ['echo'],
  );
  assert.match((await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).content[0].text, /hi/);
  done('goes on');
  await client.close();
  process.exit(0);
}

const { tools } = await client.listTools();
assert.ok(tools.some(({ name }) => name === 'echo'));
done('tools/list');

const given = peer === 'reference' ? { message: 'hi' } : { text: 'hi' };
const { content } = await client.callTool({ name: 'echo', arguments: given });
assert.match(content[0].text, /hi/);
done('tools/call');

const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
assert.ok(contents.length > 0);
done('resources');

const { prompts } = await client.listPrompts();
assert.ok(prompts.length > 0);
done('prompts/list');

if (peer === 'everything') {
  const { messages } = await client.getPrompt({ name: 'test_simple_prompt' });
  assert.equal(messages[0].content.text, 'This is a simple prompt for testing.');
  done('prompts/get');
  const steps = [];
  await client.callTool(
    { name: 'test_tool_with_progress', arguments: {} },
    ...(generation === 'v1' ? [undefined] : []),
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  assert.deepEqual(steps, [0, 50, 100]);
  done('progress');
  const asked = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'well?' } });
  assert.equal(asked.content[0].text, 'LLM response: sampled');
  done('sampling');
  const elicited = await client.callTool({ name: 'test_elicitation', arguments: { message: 'who?' } });
  assert.match(elicited.content[0].text, /action=accept.*ada/);
  done('elicitation');
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 'par' },
  });
  assert.deepEqual(completion.values, ['paris', 'park', 'party']);
  done('completion');
}
await assert.rejects(async () => {
  const answer = await client.callTool({ name: 'no_such_tool', arguments: {} });
  if (answer.isError) throw new Error('refused in the result');
});
done('unknown tool');
await client.close();
process.exit(0);

function sampled() {
  return { model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled' } };
}

function answered() {
  return { action: 'accept', content: { username: 'ada', email: 'ada@example.com' } };
}

async function firstGeneration() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } = await import(
    '@modelcontextprotocol/sdk/types.js'
  );
  const made = new Client({ name: 'typescript', version: '1' }, { capabilities });
  made.setRequestHandler(CreateMessageRequestSchema, sampled);
  made.setRequestHandler(ElicitRequestSchema, answered);
  made.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit });
  return { client: made, connect: () => made.connect(transport) };
}

async function secondGeneration() {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const made = new Client({ name: 'typescript', version: '2' }, { capabilities, versionNegotiation: { mode: 'auto' } });
  made.setRequestHandler('sampling/createMessage', sampled);
  made.setRequestHandler('elicitation/create', answered);
  made.setRequestHandler('roots/list', () => ({ roots: [] }));
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit });
  return { client: made, connect: () => made.connect(transport) };
}
