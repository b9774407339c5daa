/** The manifest of the built-in server for a caller who may use all of it. */
import { VERSION } from '../../../values/versions.ts';
import type { Manifest } from '../../manifest/discovery.ts';
import type { Era } from '../../protocol/era.ts';
import type { WorkspaceApi } from '../definition/workspace-api.ts';
import { listedPrompts } from './prompts.ts';
import { listedResources, listedTemplates } from './resources.ts';
import { listedTool, tools } from './tools.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];
export const SERVER_INFO = { name: 'signalbox-orchestration', title: 'Signalbox orchestration', version: VERSION };
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {} };
export const INSTRUCTIONS =
  'The orchestration of one workspace: flows, deployments, runs, logs, artifacts, events and what they need. Begin with get_overview or search. why_did_this_run_fail and why_is_this_run_not_running answer in one call what logs answer in many. Lists are short pages: filter before you page. `next_steps` in an answer says what to call next. You act with the role of the person or service account that you call for, and see only the tools that this role may use. Ask before you start, cancel or change something.';

const everything: Pick<WorkspaceApi, 'allows'> = { allows: () => true };

/** The manifest is part of this version of the server, so the server is never asked for it. */
export function builtinManifest(): Manifest {
  const api = everything as WorkspaceApi;
  return {
    eras: ERAS,
    serverInfo: SERVER_INFO,
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    tools: tools.map((tool) => ({ ...listedTool(tool) })),
    prompts: listedPrompts(),
    resources: listedResources('admin', api),
    resourceTemplates: listedTemplates('admin', api),
    unknown: {},
  };
}
