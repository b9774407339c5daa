/** Pauses and resumes deployments and their schedules, says so, and offers to take it back. */
import { invalidate } from '../api/read.ts';
import { notify, notifyProblem } from '../components/notify/notify.ts';
import { changeSchedule, pauseDeployment } from './actions.ts';
import type { DeploymentSchedule } from './queries.ts';

interface Pausable {
  readonly id: string;
  readonly name: string;
  readonly paused?: boolean;
}

export function switchDeployment({ id, name, paused = false }: Pausable): void {
  switchTo(!paused, `Deployment ${name}`, (isPaused) => pauseDeployment(id, isPaused));
}

/** `words`: the times of the schedule. */
export function switchSchedule(deploymentId: string, { id, active }: DeploymentSchedule, words: string): void {
  switchTo(active ?? true, `Schedule “${words}”`, (isPaused) =>
    changeSchedule(deploymentId, id, { active: !isPaused }),
  );
}

function switchTo(isPaused: boolean, what: string, change: (isPaused: boolean) => Promise<unknown>): void {
  const apply = async (wanted: boolean) => {
    await change(wanted);
    await invalidate('/views/deployments', '/views/deployments/{id}', '/deployments/{id}');
    return `${what} ${wanted ? 'paused' : 'resumed'}`;
  };
  apply(isPaused).then((done) => notify(done, { undo: { act: () => apply(!isPaused) } }), notifyProblem);
}
