/** Calls a tool with a form made from its schema, on behalf of the person, and shows the answer. */

import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/form/form-dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SchemaForm } from '../../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../components/schema-form/use-schema-form.ts';
import { useAction } from '../../components/use-action.ts';
import { inputSchemaOf } from '../capability.ts';
import type { ServerPath } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';
import { callTool, type ToolAnswer } from './call-tool.ts';
import { ToolResult } from './tool-result.tsx';

const route = getRouteApi('/servers/$server');

export function TryTab({ organization, view }: TabProps) {
  const { name } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/$server' });
  const names = view.capabilities?.tools.map((tool) => String((tool as { name?: unknown }).name)) ?? [];
  const tool = name !== undefined && names.includes(name) ? name : names[0];
  if (tool === undefined) {
    return (
      <p className="py-4 text-soft">
        The server offers no tool that you may use.{' '}
        <Link from="/servers/$server" to="/servers/$server" search={{ tab: 'capabilities' }} className="underline">
          What it offers
        </Link>
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Field label="Tool" className="max-w-110">
        <select
          className="field font-mono text-xs"
          value={tool}
          onChange={(event) => void navigate({ search: { tab: 'try', name: event.target.value }, resetScroll: false })}
        >
          {names.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </Field>
      <ToolForm key={tool} path={{ org: organization.slug, server: view.server.slug }} tool={tool} view={view} />
    </div>
  );
}

interface FormProps {
  readonly path: ServerPath;
  readonly tool: string;
  readonly view: TabProps['view'];
}

function ToolForm({ path, tool, view }: FormProps) {
  const form = useSchemaForm({});
  const [answer, setAnswer] = useState<ToolAnswer>();
  const { isBusy, problem, run } = useAction();
  const stop = useRef<AbortController>(undefined);
  const described = view.capabilities?.tools.find((one) => (one as { name?: unknown }).name === tool) as
    | { readonly description?: unknown; readonly annotations?: { readonly destructiveHint?: unknown } }
    | undefined;
  const call = async () => {
    if (!form.isReady()) return;
    const controller = new AbortController();
    stop.current = controller;
    await run(async () => {
      try {
        setAnswer(await callTool(path, tool, form.value, controller.signal));
      } catch (error) {
        setAnswer(undefined);
        throw controller.signal.aborted ? new Error('The call was stopped.') : error;
      }
    });
  };
  return (
    <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-2">
      <div>
        {typeof described?.description === 'string' ? (
          <p className="mb-2 max-w-160 whitespace-pre-wrap text-soft">{described.description}</p>
        ) : null}
        <SchemaForm label="Arguments" schema={inputSchemaOf(view.capabilities, tool)} {...form.props} />
        <div className="mt-3 flex items-center gap-3">
          <Button kind="primary" disabled={isBusy} onClick={() => void call()}>
            {isBusy ? 'Calling' : 'Call the tool'}
          </Button>
          {isBusy ? <Button onClick={() => stop.current?.abort()}>Stop</Button> : null}
          {described?.annotations?.destructiveHint === true ? (
            <span className="text-late-text">The server says that this tool may destroy something.</span>
          ) : null}
        </div>
        <p className="mt-2 text-xs text-quiet">
          The gateway decides and records this as any call of yours. Arguments and results are not stored.
        </p>
      </div>
      <div aria-live="polite">
        <ProblemNote text={problem} />
        {answer ? <ToolResult answer={answer} serverId={view.server.id} /> : null}
      </div>
    </div>
  );
}
