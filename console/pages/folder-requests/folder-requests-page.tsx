import { Route } from 'wouter';
import { useMay } from '../../session/use-session.ts';
import { OwnRequests } from './own-requests.tsx';
import { Queue } from './queue.tsx';
import { RequestDetail } from './request-detail.tsx';

/** Administrators see the queue, all others their own requests; the address may name one request. */
export function FolderRequestsPage() {
  const isAdministrator = useMay('Administrator');
  return (
    <>
      {isAdministrator ? <Queue /> : <OwnRequests />}
      <Route path="/folder-requests/:id">{({ id }) => <RequestDetail key={id} id={id} />}</Route>
    </>
  );
}
