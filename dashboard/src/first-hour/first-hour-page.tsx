/** The first steps at an address of their own, also after they were done or dismissed. */
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { FirstHour } from './first-hour.tsx';
import { firstHourQuery, setDismissed } from './queries.ts';

export function FirstHourPage() {
  const { data: view } = useQuery(firstHourQuery);
  const mayDo = useMay('flows:write');
  return (
    <>
      <PageHead
        title="First steps"
        actions={
          mayDo && view?.dismissed ? <Button onClick={() => void setDismissed(false)}>Show on Home</Button> : null
        }
      />
      <FirstHour />
    </>
  );
}
