import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { invalidate } from '../api/read.ts';
import { PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { AutomationForm } from './automation-form.tsx';
import { automationQuery, updateAutomation } from './queries.ts';
import { formOf } from './trigger-form.ts';

const route = getRouteApi('/automations/automation/$id/edit');

export function EditAutomationPage() {
  const { id } = route.useParams();
  const navigate = useNavigate();
  // Reading again would replace the values that a person is editing.
  const query = useQuery({ ...automationQuery(id), meta: {}, staleTime: Number.POSITIVE_INFINITY });
  if (!query.data) return <Unread of={query} rows={10} isPage />;
  const { row, names } = query.data;
  const { name, description = '', enabled = true, tags = [], trigger, actions } = row.automation;
  const { actions_on_trigger = [], actions_on_resolve = [] } = row.automation;
  return (
    <>
      <PageHead
        title={`Edit ${name}`}
        trail={[
          ['Automations', { to: '/automations' }],
          [name, { to: '/automations/automation/$id', params: { id } }],
        ]}
      />
      <AutomationForm
        initial={{ name, description, enabled, tags, trigger: formOf(trigger), actions }}
        names={names}
        action="Save"
        onSave={async (automation) => {
          await updateAutomation(id, { ...automation, actions_on_trigger, actions_on_resolve });
          await invalidate('/views/automations/{id}');
          await navigate({ to: '/automations/automation/$id', params: { id } });
        }}
      />
    </>
  );
}
