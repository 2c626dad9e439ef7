import { recentIds } from '../../parts/recent-ids.ts';

/** Requests made in this tab. */
export const ownRequests = recentIds('own-folder-requests');
