/**
 * Triggers as clients write them. The leaves count events; compound and sequence triggers wait for the firings of the
 * triggers below them. Source: `POST /automations/` of the Prefect server 3.9.1, with which server/test/reference
 * compares; docs.prefect.io/v3/concepts/event-triggers.
 */
import { ResourceSpecification } from '../../events/schema.ts';
import {
  branch,
  Duration,
  Literal,
  lazy,
  Nullable,
  OneOf,
  PositiveDuration,
  type Preparation,
  prepare,
  RecordOf,
  refine,
  Shape,
  type Static,
  TextSet,
  type TSchema,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { durationSeconds } from '../../schema/parse-duration.ts';
import { floatText, isJsonObject, parseJson } from '../../values/json.ts';

const SHORTEST_PROACTIVE_SECONDS = 10;
const PROACTIVE_FAULT = `\`within\` for Proactive triggers must be greater than or equal to ${SHORTEST_PROACTIVE_SECONDS} seconds`;

/** Label patterns; the second branch gives the reference's message for a value that fits neither. */
const labels = Type.Union([ResourceSpecification, RecordOf(Type.Union([Type.String(), Type.Array(Type.String())]))]);

/**
 * Reads `within` first: a proactive trigger without it gets the shortest time allowed. The value is added to the
 * request itself, so that issues of a refused trigger show it, as on the reference.
 */
const fillWithin: Preparation = (input) => {
  if (!isJsonObject(input)) return { value: input };
  const { within, posture } = input;
  if (within === null) return { fault: '`within` should be a valid timedelta' };
  const seconds = within === undefined ? 0 : durationSeconds(within);
  if (seconds === undefined) return { value: input };
  const isFilled = posture === 'Proactive' && seconds === 0;
  if (within !== undefined || isFilled) {
    input['within'] = parseJson(floatText(isFilled ? SHORTEST_PROACTIVE_SECONDS : seconds));
  }
  const isTooShort = posture === 'Proactive' && !isFilled && seconds < SHORTEST_PROACTIVE_SECONDS;
  return isTooShort ? { fault: PROACTIVE_FAULT } : { value: input };
};

const eventTriggerShape = Shape(
  'EventTrigger',
  {
    type: withDefault(Literal('event'), 'event'),
    id: Type.Optional(Uuid()),
    match: withDefault(labels, {}),
    match_related: withDefault(Type.Union([...(labels.anyOf as [TSchema, TSchema]), Type.Array(labels)]), {}),
    after: withDefault(TextSet(), []),
    expect: withDefault(TextSet(), []),
    for_each: withDefault(TextSet(), []),
    posture: OneOf(['Reactive', 'Proactive']),
    threshold: withDefault(Type.Integer(), 1),
    within: withDefault(PositiveDuration(), 0),
  },
  'ignore',
);

type EventTriggerShape = Static<typeof eventTriggerShape>;
export type LabelPatterns = ResourceSpecification;
export interface EventTrigger extends Omit<EventTriggerShape, 'match' | 'match_related'> {
  readonly match: LabelPatterns;
  readonly match_related: LabelPatterns | readonly LabelPatterns[];
}

/** Counts matching events in a window of `within` seconds. */
export const EventTrigger = prepare(
  refine(eventTriggerShape, ({ posture, within }) =>
    posture === 'Proactive' && within < SHORTEST_PROACTIVE_SECONDS ? PROACTIVE_FAULT : undefined,
  ),
  fillWithin,
);

export interface CompoundTrigger {
  readonly type: 'compound';
  readonly id?: string | undefined;
  readonly triggers: readonly Trigger[];
  readonly within: number | null;
  readonly require: number | 'any' | 'all';
}

export interface SequenceTrigger {
  readonly type: 'sequence';
  readonly id?: string | undefined;
  readonly triggers: readonly Trigger[];
  readonly within: number | null;
}

export type Trigger = EventTrigger | CompoundTrigger | SequenceTrigger;

const parts = {
  id: Type.Optional(Uuid()),
  within: Nullable(Duration()),
};

function compoundTrigger(name: string, triggers: TSchema) {
  const shape = Shape(
    'CompoundTrigger',
    {
      type: withDefault(Literal('compound'), 'compound'),
      id: parts.id,
      triggers: Type.Array(triggers),
      within: parts.within,
      require: Type.Union([Type.Integer(), OneOf(['any', 'all'])]),
    },
    'ignore',
  );
  const refined = refine(shape, (trigger) => {
    const { require, triggers: children } = trigger as unknown as CompoundTrigger;
    if (typeof require !== 'number') return undefined;
    if (require < 1) return 'require must be at least 1';
    return require > children.length ? 'require must be less than or equal to the number of triggers' : undefined;
  });
  return branch(name, refined);
}

function sequenceTrigger(triggers: TSchema) {
  return Shape(
    'SequenceTrigger',
    {
      type: withDefault(Literal('sequence'), 'sequence'),
      id: parts.id,
      triggers: Type.Array(triggers),
      within: parts.within,
    },
    'ignore',
  );
}

// In the reference, the rule of an outermost compound trigger is applied twice; `loc` shows that.
const INNER_NAME = 'function-after[validate_require(), CompoundTrigger]';
const OUTER_NAME = `function-after[validate_require(), ${INNER_NAME}]`;

const below: TSchema = lazy<Trigger>(() => innerTrigger);
const innerTrigger = Type.Union([EventTrigger, compoundTrigger(INNER_NAME, below), sequenceTrigger(below)]);
const beside: TSchema = lazy<Trigger>(() => AnyTrigger);

export const CompoundTrigger = compoundTrigger(OUTER_NAME, below);
export const SequenceTrigger = sequenceTrigger(beside);
/** Any trigger, for the field of an automation. */
export const AnyTrigger = Type.Unsafe<Trigger>(Type.Union([EventTrigger, CompoundTrigger, SequenceTrigger]));
