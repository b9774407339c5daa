import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { VERSION } from '../../values/versions.ts';

/** The name of this server for collectors; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES add to it. */
export function serverResource(): Resource {
  const named = resourceFromAttributes({ 'service.name': 'signalbox', 'service.version': VERSION });
  return defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }));
}
