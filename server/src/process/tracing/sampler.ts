/** The sampler that OTEL_TRACES_SAMPLER and its argument name. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** `parentbased_always_on`, the default of the specification, for an unknown name. */
export function samplerOf(environment: Readonly<Record<string, string | undefined>>): Sampler {
  const named = environment['OTEL_TRACES_SAMPLER']?.trim() ?? '';
  const root = rootSampler(named.replace('parentbased_', ''), ratioOf(environment['OTEL_TRACES_SAMPLER_ARG']));
  if (!root) return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  return named.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler | undefined {
  if (name === 'always_on') return new AlwaysOnSampler();
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : undefined;
}

/** A ratio from 0 to 1; 1 for an invalid text. */
function ratioOf(text: string | undefined): number {
  const ratio = Number(text ?? '1');
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
