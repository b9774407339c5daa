/** Tools that change future runs: schedules and variables. */
import { NotFound } from '../../../errors.ts';
import { described, Json, Type, Uuid } from '../../../schema/kinds.ts';
import { DEPLOYMENT_BY_NAME, deployment, deploymentIdOf } from '../definition/arguments.ts';
import { tool } from '../definition/tool.ts';

const PAUSE = 'POST /deployments/{id}/pause_deployment';
const RESUME = 'POST /deployments/{id}/resume_deployment';
const SCHEDULE = 'PATCH /deployments/{id}/schedules/{schedule_id}';
const CHANGE_VARIABLE = 'PATCH /variables/name/{name}';
const CREATE_VARIABLE = 'POST /variables/';

const pausedFields = { deployment_id: Type.String(), paused: Type.Boolean() };

const pauseDeployment = tool({
  name: 'pause_deployment',
  title: 'Pause a deployment',
  description:
    'Stops the schedules of the deployment until it is resumed, and deletes its scheduled runs. Started runs continue.',
  effect: 'change',
  routes: [PAUSE, DEPLOYMENT_BY_NAME],
  input: { deployment },
  output: pausedFields,
  async run(given, asking) {
    const id = await deploymentIdOf(given.deployment, asking);
    await asking.ask(PAUSE, { path: { id } });
    return { deployment_id: id, paused: true };
  },
});

const resumeDeployment = tool({
  name: 'resume_deployment',
  title: 'Resume a deployment',
  description: 'The active schedules of the deployment create runs again.',
  effect: 'change',
  routes: [RESUME, DEPLOYMENT_BY_NAME],
  input: { deployment },
  output: pausedFields,
  async run(given, asking) {
    const id = await deploymentIdOf(given.deployment, asking);
    await asking.ask(RESUME, { path: { id } });
    return { deployment_id: id, paused: false };
  },
});

const setSchedule = tool({
  name: 'set_schedule_active',
  title: 'Turn a schedule on or off',
  description: 'Changes one schedule of a deployment. get_deployment shows their ids.',
  effect: 'change',
  routes: [SCHEDULE, DEPLOYMENT_BY_NAME],
  input: {
    deployment,
    schedule_id: described(Uuid(), 'Id of a schedule of this deployment.'),
    active: Type.Boolean(),
  },
  output: { deployment_id: Type.String(), schedule_id: Type.String(), active: Type.Boolean() },
  async run({ schedule_id, active, ...given }, asking) {
    const id = await deploymentIdOf(given.deployment, asking);
    await asking.ask(SCHEDULE, { path: { id, schedule_id }, body: { active } });
    return { deployment_id: id, schedule_id, active };
  },
});

const setVariable = tool({
  name: 'set_variable',
  title: 'Set a variable',
  description:
    'Creates a variable, or replaces its value: the old value is lost. The value may be any JSON of at most 5,000 bytes.',
  effect: 'end',
  routes: [CHANGE_VARIABLE, CREATE_VARIABLE],
  input: {
    name: described(
      Type.String({ minLength: 1, maxLength: 255 }),
      'Lower-case letters, digits, dashes and underscores.',
    ),
    value: described(Json(), 'Text, a number, true or false, null, a list or an object.'),
    tags: described(
      Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 50 })),
      'Omit it to keep the current tags.',
    ),
  },
  output: {
    name: Type.String(),
    created: described(Type.Boolean(), 'False: an existing variable got the value.'),
  },
  async run({ name, value, tags }, { ask }) {
    const fields = { value: JSON.parse(value), ...(tags && { tags }) };
    try {
      await ask(CHANGE_VARIABLE, { path: { name }, body: fields });
      return { name, created: false };
    } catch (error) {
      if (!(error instanceof NotFound) && (error as { status?: number }).status !== 404) throw error;
      await ask(CREATE_VARIABLE, { body: { name, ...fields } });
      return { name, created: true };
    }
  },
});

export const settingTools = [pauseDeployment, resumeDeployment, setSchedule, setVariable];
