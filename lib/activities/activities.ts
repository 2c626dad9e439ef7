import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import type { Contact } from '../contacts/contact.ts';
import type { EventLog } from '../base/event-log.ts';
import type { Project } from '../projects/project.ts';
import type { NewActivity } from './activity.ts';
import { type DocumentActivity, documentActivity, type Letters } from './document-activity.ts';
import { type EmailActivity, emailActivity } from './email-activity.ts';
import { senderName } from './letter/signature.ts';
import type { TextProvider } from './text/text-provider.ts';

export interface ActivitySettings {
  readonly provider: TextProvider;
  /** Throws `not_configured` when letters are switched off; emails do not depend on it. */
  readonly letters: () => Omit<Letters, 'provider'>;
  readonly defaultLanguage: string;
  /** IANA time zone of the dates in letters, e.g. `Europe/Berlin`; the host's clock is UTC. */
  readonly timeZone: string;
}

/** Generates emails and letters. Loaded on first use, because it pulls in the AI client and docxtemplater. */
export class Activities {
  readonly #settings: ActivitySettings;
  readonly #clock: Clock;

  constructor(settings: ActivitySettings, clock: Clock = systemClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  async generate(
    order: NewActivity,
    { contact, project }: { contact: Contact; project: Project | null },
    user: User,
    log: EventLog,
  ): Promise<EmailActivity | DocumentActivity> {
    const { provider, letters, defaultLanguage, timeZone } = this.#settings;
    const atMs = this.#clock.now();
    const language = order.language ?? defaultLanguage;
    const task = {
      activityType: order.activityType,
      description: order.description,
      contact,
      project,
      sender: senderName(user),
      language,
      // The Swedish locale formats dates as ISO 8601.
      date: new Intl.DateTimeFormat('sv-SE', { timeZone }).format(atMs),
    };
    return order.activityType === 'Email'
      ? emailActivity(provider, task, log)
      : documentActivity({ provider, ...letters() }, task, { atMs, timeZone, language }, user, log);
  }
}
