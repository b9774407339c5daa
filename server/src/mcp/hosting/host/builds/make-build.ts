/** Makes a build in a folder of its own, which contains it afterwards. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostingCeilings } from '../../../../config.ts';
import type { TargetPolicy } from '../../../../outbound/guard.ts';
import type { BuildOrder, BuildResult } from '../../boundary/host.ts';
import type { LaunchParts } from '../instances/launch.ts';
import { handOver } from '../machine/program-user.ts';
import { removeAll } from '../machine/removal.ts';
import type { OutputLog } from '../output/output-log.ts';
import { fetchSource } from './fetch-source.ts';
import { buildPackage } from './packages.ts';
import { buildRuntime } from './runtime.ts';
import { Steps } from './steps.ts';

interface BuildOptions extends LaunchParts {
  readonly ceilings: HostingCeilings;
  readonly log: OutputLog;
  /** Ends the build. */
  readonly signal: AbortSignal;
  targets(): Promise<TargetPolicy>;
}

/** Throws `BuildFailed`, and the reason of the signal. The caller must remove files that are left then. */
export async function makeBuild(
  { id, serverId, source, entrypoint, dependencyPath, variables }: BuildOrder,
  { folders, leftovers, runner, ceilings, log, signal, targets }: BuildOptions,
): Promise<BuildResult> {
  const artifact = folders.artifact(serverId, id);
  const folder = join(artifact, 'source');
  const home = join(artifact, 'home');
  await removeAll(artifact);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Each folder is a mount of its own in a sandbox, so that none can be replaced by a link.
  const writable = [folder, join(artifact, 'venv'), home];
  for (const path of writable.slice(1)) await mkdir(path, { mode: 0o700 });
  const given = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const user = runner.userOf(serverId);
  await handOver(artifact, user);
  const steps = new Steps({ runner, serverId, ceilings, log, signal, home, writable, variables: given });
  const fetched = await fetchSource(source, {
    steps,
    folder,
    targets: await targets(),
    signal,
    uploadPath: (upload) => folders.upload(upload),
  });
  // Reads only files that this host has written. No step runs now.
  await handOver(folder, user);
  const { launch, ...built } =
    source.kind === 'package'
      ? await buildPackage(steps, artifact, source)
      : await buildRuntime({ steps, artifact, entrypoint, dependencyPath });
  signal.throwIfAborted();
  await leftovers.remove(home);
  return { launch, resolved: { ...fetched, ...built } };
}
