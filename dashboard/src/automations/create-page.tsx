import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { invalidate } from '../api/read.ts';
import { PageHead } from '../components/page.tsx';
import { AutomationForm } from './automation-form.tsx';
import { createAutomation } from './queries.ts';
import { templateOfCause, templates } from './templates.ts';
import { stateForm } from './trigger-form.ts';

const route = getRouteApi('/automations/create');

export function CreateAutomationPage() {
  const { template: key, cause, name = '' } = route.useSearch();
  const navigate = useNavigate();
  const template = cause ? templateOfCause(cause, name) : templates.find((one) => one.key === key);
  return (
    <>
      <PageHead title="New automation" trail={[['Automations', { to: '/automations' }]]} />
      <nav aria-label="Templates" className="flex flex-wrap gap-x-4 gap-y-1 px-6 pb-4 text-soft max-sm:px-4">
        <span className="text-quiet">Start from</span>
        {templates.map(({ key: one, title }) => (
          <Link
            key={one}
            to="/automations/create"
            search={{ template: one }}
            replace
            className="underline decoration-line underline-offset-4 hover:decoration-ink data-[status=active]:font-medium"
          >
            {title}
          </Link>
        ))}
      </nav>
      <AutomationForm
        // Another template resets the form.
        key={key}
        initial={{
          name: template?.title ?? '',
          description: '',
          enabled: true,
          tags: [],
          trigger: template?.form ?? stateForm('flow-run', ['Failed']),
          actions: template?.actions ?? [{ type: 'do-nothing' }],
        }}
        names={{}}
        action="Create"
        onSave={async (automation) => {
          const id = await createAutomation(automation);
          await invalidate('/views/automations');
          await navigate({ to: '/automations/automation/$id', params: { id } });
        }}
      />
    </>
  );
}
