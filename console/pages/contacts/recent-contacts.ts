import { recentIds } from '../../parts/recent-ids.ts';

export const recentContacts = recentIds('recent-contacts');
