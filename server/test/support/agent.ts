/** An agent: the official TypeScript client, connected to the built-in server of a workspace with somebody's key. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface Agent {
  readonly client: Client;
  /** The structure that a tool answers; throws the text of a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  call(name: string, given?: Record<string, unknown>): Promise<any>;
  /** Calls so far, and the bytes of what they answered. */
  readonly spent: { calls: number; bytes: number };
  close(): Promise<void>;
}

/** `era`: the way of the protocol that the client speaks. */
export async function connectAgent(url: string, key: string, era: 'legacy' | 'modern' = 'modern'): Promise<Agent> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client(
    { name: 'agent', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  await client.connect(transport);
  const spent = { calls: 0, bytes: 0 };
  return {
    client,
    spent,
    call: async (name, given = {}) => {
      const answer = await client.callTool({ name, arguments: given });
      const [content] = answer.content;
      const text = content?.type === 'text' ? content.text : '';
      spent.calls += 1;
      spent.bytes += Buffer.byteLength(text);
      if (answer.isError) throw new Error(text);
      return answer.structuredContent;
    },
    close: () => client.close(),
  };
}
