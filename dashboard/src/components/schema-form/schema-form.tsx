/**
 * A form made from a JSON schema: parameters of a run, fields of a block, variables of a job. It is loaded when it is
 * shown.
 */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../states-of-loading.tsx';
import type { SchemaFormProps } from './form.tsx';

const View = lazy(async () => ({ default: (await import('./form.tsx')).SchemaFormView }));

export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Skeleton rows={4} />}>
      <View {...props} />
    </Suspense>
  );
}
