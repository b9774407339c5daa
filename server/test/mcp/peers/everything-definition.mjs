/**
 * What the conformance suite requires of a server: the suite's scenarios give its names and texts. One definition
 * serves both eras of the protocol.
 */
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });

const state = createRequestStateCodec({ key: 'a key of this test server, at least 32 bytes' });
const asks = {
  name: (message) => elicit(message, { name: { type: 'string' } }),
  sampling: (question, maxTokens) =>
    inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: question } }],
      maxTokens,
    }),
  roots: () => inputRequired.listRoots(),
};

function elicit(message, properties) {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
  return inputRequired.elicit({ message, requestedSchema });
}

/** `changed` tells the readers of a stateless server that a list has changed. */
export function everything(changed) {
  const server = new McpServer(
    { name: 'everything', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: state.verify },
      cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } },
    },
  );
  addSimpleTools(server);
  addToolsThatTalk(server);
  addToolsThatAsk(server);
  addRounds(server);
  addResources(server);
  addPrompts(server);
  const nothing = { description: 'Tells that a list has changed.' };
  server.registerTool('test_trigger_tool_change', nothing, () => {
    changed?.toolsChanged();
    return text('told');
  });
  server.registerTool('test_trigger_prompt_change', nothing, () => {
    changed?.promptsChanged();
    return text('told');
  });
  return server;
}

function addSimpleTools(server) {
  const json = JSON.stringify({ test: 'data', value: 123 });
  const answers = {
    test_simple_text: text('This is a simple text response for testing.'),
    test_image_content: { content: [image] },
    test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
    test_embedded_resource: {
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    },
    test_multiple_content_types: {
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        embedded('test://mixed-content-resource', 'application/json', json),
      ],
    },
  };
  for (const [name, answer] of Object.entries(answers)) {
    server.registerTool(name, { description: `Answers what ${name} says.` }, () => answer);
  }
  server.registerTool('test_error_handling', { description: 'Fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool(
    'echo',
    { description: 'Answers its text.', inputSchema: z.object({ text: z.string() }) },
    (given) => text(given.text),
  );
}

function addToolsThatTalk(server) {
  const log = async (_given, { mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', data);
      await pause();
    }
    return text('logged');
  };
  const empty = z.object({});
  server.registerTool('test_tool_with_logging', { description: 'Logs.', inputSchema: empty }, log);
  server.registerTool('test_logging_tool', { description: 'Logs when it is asked to.', inputSchema: empty }, log);
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Tells how far it is.', inputSchema: empty },
    async (_given, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          });
        }
        await pause();
      }
      return text('done');
    },
  );
}

/** The server asks its client: with a request of its own in the revisions with sessions, else with another round. */
function addToolsThatAsk(server) {
  const asking = (name, inputSchema, requestOf, answerOf) =>
    server.registerTool(name, { description: 'Asks the client.', inputSchema }, (given, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'answer');
      return answer.kind === 'missing'
        ? inputRequired({ inputRequests: { answer: requestOf(given) } })
        : text(answerOf(answer));
    });
  const chosen = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`;
  asking(
    'test_sampling',
    z.object({ prompt: z.string() }),
    ({ prompt }) => asks.sampling(prompt, 100),
    ({ result }) => `LLM response: ${result?.content?.text ?? JSON.stringify(result?.content)}`,
  );
  asking(
    'test_elicitation',
    z.object({ message: z.string() }),
    ({ message }) => elicit(message, { username: { type: 'string' }, email: { type: 'string' } }),
    (answer) => `User response: ${chosen(answer)}`,
  );
  const form = (properties) => () =>
    inputRequired.elicit({ message: 'Please fill this in', requestedSchema: { type: 'object', properties } });
  const completed = (answer) => `Elicitation completed: ${chosen(answer)}`;
  const status = { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' };
  asking(
    'test_elicitation_sep1034_defaults',
    z.object({}),
    form({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status,
      verified: { type: 'boolean', default: true },
    }),
    completed,
  );
  const plain = ['option1', 'option2', 'option3'];
  const titled = (kind) =>
    ['First', 'Second', 'Third'].map((word, index) => ({ const: `value${index + 1}`, title: `${word} ${kind}` }));
  asking(
    'test_elicitation_sep1330_enums',
    z.object({}),
    form({
      untitledSingle: { type: 'string', enum: plain },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
    completed,
  );
}

/** Several rounds of one request. Source: the scenarios `input-required-result-*`. */
function addRounds(server) {
  const rounds = (name, answer) =>
    server.registerTool(
      name,
      { description: 'Needs more than one round.', inputSchema: z.object({}) },
      (_given, { mcpReq }) =>
        answer(mcpReq.inputResponses, mcpReq.requestState(), mcpReq.envelope?.[CAPABILITIES_KEY] ?? {}),
    );
  const ask = (inputRequests, requestState) => inputRequired({ inputRequests, requestState });
  const missing = (responses, key) => inputResponse(responses, key).kind === 'missing';
  const hello = (responses) => {
    const name = acceptedContent(responses, 'user_name')?.name;
    return typeof name === 'string'
      ? text(`Hello, ${name}!`)
      : ask({ user_name: asks.name('What is your name?') }, undefined);
  };
  rounds('test_input_required_result_elicitation', hello);
  rounds('test_streaming_elicitation', hello);
  rounds('test_input_required_result_sampling', (responses) =>
    missing(responses, 'capital_question')
      ? ask({ capital_question: asks.sampling('What is the capital of France?', 100) }, undefined)
      : text(JSON.stringify(inputResponse(responses, 'capital_question').result.content)),
  );
  rounds('test_input_required_result_list_roots', (responses) =>
    missing(responses, 'client_roots')
      ? ask({ client_roots: asks.roots() }, undefined)
      : text(JSON.stringify(inputResponse(responses, 'client_roots').roots)),
  );
  const confirm = { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) };
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    rounds(name, async (responses, kept) =>
      kept === undefined || missing(responses, 'confirm')
        ? ask(confirm, await state.mint('confirming'))
        : text('state-ok'),
    );
  }
  rounds('test_input_required_result_multiple_inputs', async (responses, kept) =>
    kept === undefined || ['user_name', 'greeting', 'client_roots'].some((key) => missing(responses, key))
      ? ask(
          {
            user_name: asks.name('What is your name?'),
            greeting: asks.sampling('Generate a greeting', 50),
            client_roots: asks.roots(),
          },
          await state.mint('three'),
        )
      : text('all three came'),
  );
  rounds('test_input_required_result_multi_round', async (responses, kept) => {
    if (kept === undefined) return ask({ step1: asks.name('Step 1: What is your name?') }, await state.mint(1));
    if (kept === 1 && missing(responses, 'step2')) {
      const step2 = elicit('Step 2: What is your favorite color?', { color: { type: 'string' } });
      return ask({ step2 }, await state.mint(2));
    }
    return text('both steps are done');
  });
  rounds('test_input_required_result_capabilities', (responses, _kept, declared) =>
    responses && Object.keys(responses).length > 0
      ? text('answered')
      : ask(
          {
            ...(declared.elicitation ? { user_name: asks.name('What is your name?') } : {}),
            ...(declared.sampling ? { greeting: asks.sampling('Generate a greeting', 50) } : {}),
          },
          undefined,
        ),
  );
  // The SDK refuses to ask for a capability that the client has not declared.
  rounds('test_missing_capability', (responses) =>
    missing(responses, 'question') ? ask({ question: asks.sampling('Anything?', 10) }, undefined) : text('answered'),
  );
}

function addResources(server) {
  const fixed = (name, uri, mimeType, content) =>
    server.registerResource(name, uri, { description: `The resource ${name}.`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  fixed('static-text', 'test://static-text', 'text/plain', {
    text: 'This is the content of the static text resource.',
  });
  fixed('static-binary', 'test://static-binary', 'image/png', { blob: PNG });
  fixed('watched', 'test://watched-resource', 'text/plain', { text: 'watched' });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id.', mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
}

function addPrompts(server) {
  const user = (content) => ({ role: 'user', content });
  const said = (value) => user({ type: 'text', text: value });
  server.registerPrompt('test_simple_prompt', { description: 'Says one thing.' }, () => ({
    messages: [said('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Says its arguments.', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Holds a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        said('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Holds an image.' }, () => ({
    messages: [user(image), said('Please analyze the image above.')],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'Needs another round.' }, ({ mcpReq }) => {
    const context = acceptedContent(mcpReq.inputResponses, 'user_context')?.context;
    return typeof context === 'string'
      ? { messages: [said(`Use this context: ${context}`)] }
      : inputRequired({
          inputRequests: {
            user_context: elicit('What context should the prompt use?', { context: { type: 'string' } }),
          },
        });
  });
}
