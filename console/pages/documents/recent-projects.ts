import { recentIds } from '../../parts/recent-ids.ts';

export const recentProjects = recentIds('recent-projects');
