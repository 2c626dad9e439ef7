import { recentIds } from '../../parts/recent-ids.ts';

/** Requests made in this tab. The service lists requests for administrators only. */
export const ownRequests = recentIds('own-folder-requests');
