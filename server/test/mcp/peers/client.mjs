/**
 * An official TypeScript client: `client.mjs <v1|v1.10|v2|mcp-remote> <url> <key> <server>`. Uses everything that the server
 * offers, asserts the answers, and prints one line for each feature that works.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

const [generation, address, key, peer, narrow] = process.argv.slice(2);
const requestInit = { headers: { authorization: `Bearer ${key}` } };
const capabilities = { sampling: {}, elicitation: {}, roots: {} };
const { client, connect } = generation === 'v2' ? await secondGeneration() : await firstGeneration();
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
const tool = peer === 'builtin' ? 'get_overview' : 'echo';
assert.ok(
  tools.some(({ name }) => name === tool),
  tools.map(({ name }) => name).join(' '),
);
done('tools/list');

if (peer === 'builtin') {
  assert.ok((await client.callTool({ name: tool, arguments: {} })).content.length > 0);
  done('tools/call');
  assert.ok((await client.listResources()).resources.length > 0);
  assert.ok((await client.listPrompts()).prompts.length > 0);
  done('lists');
  await client.close();
  process.exit(0);
}

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
    ...(generation === 'v2' ? [] : [undefined]),
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  assert.deepEqual(steps, [0, 50, 100]);
  done('progress');
  const asked = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'well?' } });
  assert.equal(asked.content[0].text, 'LLM response: sampled');
  done('sampling');
  // The first revision with it came later.
  if (generation !== 'v1.10') {
    const elicited = await client.callTool({ name: 'test_elicitation', arguments: { message: 'who?' } });
    assert.match(elicited.content[0].text, /action=accept.*ada/);
    done('elicitation');
  }
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
  const sdk = generation === 'v1.10' ? 'sdk-1.10' : '@modelcontextprotocol/sdk';
  const { Client } = await import(`${sdk}/client/index.js`);
  const { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } = await import(`${sdk}/types.js`);
  const { elicitation, ...older } = capabilities;
  const made = new Client(
    { name: 'typescript', version: '1' },
    { capabilities: ElicitRequestSchema ? { ...older, elicitation } : older },
  );
  made.setRequestHandler(CreateMessageRequestSchema, sampled);
  if (ElicitRequestSchema) made.setRequestHandler(ElicitRequestSchema, answered);
  made.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  const transport = await (generation === 'mcp-remote' ? bridge(sdk) : overHttp(sdk));
  return { client: made, connect: () => made.connect(transport) };
}

async function overHttp(sdk) {
  const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
  return new StreamableHTTPClientTransport(new URL(address), { requestInit });
}

/** A client that knows only programs, and the program that many people put between. */
async function bridge(sdk) {
  const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);
  const program = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));
  const headers = ['--header', `Authorization:${requestInit.headers.authorization}`];
  const args = [program, address, ...headers, '--allow-http', '--transport', 'http-only'];
  return new StdioClientTransport({ command: process.execPath, args, env: { ...process.env }, stderr: 'ignore' });
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
