import type { Contact } from '../../../../lib/contacts/contact.ts';
import type { WritingTask } from '../../../../lib/activities/text/task/writing-task.ts';

export const contact: Contact = {
  id: 'c3b8a0de-1111-4222-8333-444455556666',
  company: 'Bau & Söhne GmbH',
  title: 'Frau Dr.',
  firstName: 'Anna',
  lastName: 'Weber',
  street: 'Hauptstraße',
  houseNumber: '12a',
  zip: '24103',
  city: 'Kiel',
  email: 'anna.weber@bau.example',
  updatedAt: '2026-11-20T10:00:00.000Z',
};

export function task(changes: Partial<WritingTask> = {}): WritingTask {
  return {
    activityType: 'Email',
    description:
      'Besprechung am 5.1.2027 um 10 Uhr, Kosten 1.250,00 EUR, drei Fenster, Rückfragen an bau@firma.example',
    contact,
    project: {
      id: 'p',
      number: 'P-2026-014',
      name: 'Neubau Kita Nord',
      updatedAt: '2026-11-20T10:00:00.000Z',
    },
    sender: 'Jörg Schäfer',
    language: 'de',
    date: '2026-11-20',
    houseStyle: '',
    ...changes,
  };
}
