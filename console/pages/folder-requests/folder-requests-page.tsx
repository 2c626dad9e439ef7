import { Route } from 'wouter';
import { Queue } from './queue.tsx';
import { RequestDetail } from './request-detail.tsx';

/** The list; the address may name one request. */
export function FolderRequestsPage() {
  return (
    <>
      <Queue />
      <Route path="/folder-requests/:id">{({ id }) => <RequestDetail key={id} id={id} />}</Route>
    </>
  );
}
