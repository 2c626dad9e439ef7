import { templateList } from '../lib/activities/activity.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const listTemplates = (services: Services): Operation =>
  operation({
    id: 'list-templates',
    method: 'GET',
    route: 'v1/activities/templates',
    tag: 'activities',
    summary: 'List the Word templates',
    description: 'The names that a letter can choose its template by; the default is first.',
    access: { kind: 'user', anyOf: ['canCreateActivities'] },
    responses: { 200: { description: 'All templates', schema: templateList } },
    problems: ['not_configured'],
    async handle() {
      return { status: 200, jsonBody: { items: (await services.activities()).templates() } };
    },
  });
