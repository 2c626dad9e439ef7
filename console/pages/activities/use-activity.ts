import { useMutation } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type NewActivity = Schemas['NewActivity'];
export type EmailActivity = Schemas['EmailActivity'];
export type Letter = Schemas['DocumentActivity'];
export type Text = Schemas['TextActivity'];
export type Activity = EmailActivity | Letter | Text;

export function useActivity() {
  return useMutation({
    mutationFn: async (activity: NewActivity): Promise<Activity> =>
      dataOf(api.POST('/activities/generate', { body: activity })),
  });
}
