/** The result of a tool. All of it is untrusted: it is shown as text, and links are not followed. */
import { Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/text/code-block.tsx';
import { Copy } from '../../components/text/copy.tsx';
import { MOST_TO_READ, shortened } from '../../components/text/shortened.ts';
import { Some } from '../../components/use-some.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import type { ToolAnswer } from './call-tool.ts';

type Json = Readonly<Record<string, unknown>>;

export function ToolResult({ answer, serverId }: { readonly answer: ToolAnswer; readonly serverId: string }) {
  const { message, status, milliseconds, requestId, notifications } = answer;
  const error = message['error'] as Json | undefined;
  const result = message['result'] as Json | undefined;
  const isFailed = result?.isError === true;
  const raw = JSON.stringify(message, undefined, 2);
  const contents = Array.isArray(result?.content) ? (result.content as Json[]) : [];
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1" role="status">
        {error ? (
          <StateLabel kind={status === 403 ? 'CANCELLED' : 'FAILED'} name={status === 403 ? 'Denied' : 'Refused'} />
        ) : isFailed ? (
          <StateLabel kind="FAILED" name="The tool failed" />
        ) : (
          <StateLabel kind="COMPLETED" name="Result" />
        )}
        <span className="tabular text-soft">{Math.round(milliseconds)} ms</span>
        <span className="tabular text-soft">HTTP {status}</span>
        {requestId ? (
          <Link
            to="/requests"
            search={{ server: serverId, open: `${serverId}/${requestId}` }}
            className="text-soft hover:underline"
          >
            Its record
          </Link>
        ) : null}
      </p>
      {error ? (
        <p className="max-w-160 whitespace-pre-wrap text-failed-text">
          {shortened(String(error.message), MOST_TO_READ)}
        </p>
      ) : null}
      <Some of={contents} step={20}>
        {(content, index) => <Content key={index} content={content} />}
      </Some>
      {result?.structuredContent === undefined ? null : (
        <Section title="Structured result">
          <CodeBlock
            label="Structured result"
            text={JSON.stringify(result.structuredContent, undefined, 2)}
            className="max-h-96 overflow-y-auto rounded-control border border-line bg-surface p-2"
          />
        </Section>
      )}
      <details>
        <summary className="cursor-pointer text-soft">
          Raw JSON{notifications.length > 0 ? ` and ${notifications.length} notifications` : ''}
        </summary>
        <div className="mt-2 flex items-start gap-1">
          <CodeBlock
            label="Raw JSON"
            text={[raw, ...notifications.map((one) => JSON.stringify(one, undefined, 2))].join('\n\n')}
            className="max-h-96 min-w-0 flex-1 overflow-y-auto rounded-control border border-line bg-surface p-2"
          />
          <Copy text={raw} what="raw JSON" />
        </div>
      </details>
    </div>
  );
}

const IMAGE = /^image\/(png|jpeg|gif|webp)$/;

function Content({ content }: { readonly content: Json }) {
  const { type, text, data, mimeType, uri, resource } = content;
  if (type === 'text' && typeof text === 'string') {
    return (
      <CodeBlock
        label="Text"
        text={text}
        isWrapped
        className="max-h-120 overflow-y-auto rounded-control border border-line bg-surface p-2"
      />
    );
  }
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string' && IMAGE.test(mimeType)) {
    return <img src={`data:${mimeType};base64,${data}`} alt="Result of the tool" className="max-w-full self-start" />;
  }
  if (type === 'resource_link' && typeof uri === 'string') {
    return (
      <p className="flex items-center gap-1 font-mono text-xs">
        {shortened(uri)}
        <Copy text={uri} what="address of the resource" />
      </p>
    );
  }
  return (
    <CodeBlock
      label={`Content of the kind ${String(type)}`}
      text={JSON.stringify(type === 'resource' ? resource : content, undefined, 2)}
      className="max-h-96 overflow-y-auto rounded-control border border-line bg-surface p-2"
    />
  );
}
