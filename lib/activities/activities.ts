import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import type { Contact } from '../contacts/contact.ts';
import type { EventLog } from '../base/event-log.ts';
import type { Graph } from '../document-library/graph.ts';
import type { Project } from '../projects/project.ts';
import type { NewActivity, NewEmail, NewLetter } from './activity.ts';
import {
  addressWarnings,
  type DocumentActivity,
  type Letters,
  openLetter,
  type ProjectFolder,
  withText,
} from './document-activity.ts';
import { companyLines, type EmailActivity, emailActivity, recipientOf } from './email-activity.ts';
import { type Mailbox, withDraft } from './mail-draft.ts';
import { isoLocal } from './letter/filling/letter-moment.ts';
import { senderName, signatureOf } from './letter/filling/signature.ts';
import { type ActivityText, editedText, writeActivityText } from './text/activity-text.ts';
import type { TextProvider } from './text/task/text-provider.ts';
import type { WritingTask } from './text/task/writing-task.ts';

export interface ActivitySettings {
  /** Throws `not_configured` without an AI provider; edited texts do not depend on it. */
  readonly provider: () => TextProvider;
  /** Throws `not_configured` when letters are switched off; emails do not depend on it. */
  readonly letters: () => Letters;
  /** Where emails get the company's details from; `null` if they end with the name. */
  readonly emailProfile: () => Graph | null;
  /** Throws `not_configured` when drafts are switched off. */
  readonly mailbox: () => Mailbox;
  readonly defaultLanguage: string;
  /** How the company writes, for the prompt; empty for no such rules. */
  readonly houseStyle: string;
  /** IANA time zone of the dates in letters, e.g. `Europe/Berlin`; the host's clock is UTC. */
  readonly timeZone: string;
}

/** To whom an activity is addressed, and who writes it. */
export interface Correspondents {
  readonly contact: Contact;
  readonly project: Project | null;
  readonly user: User;
  /** Receives a second copy of a letter. */
  readonly folder?: ProjectFolder | undefined;
}

type Made = EmailActivity | DocumentActivity | ActivityText;
type Write = (task: WritingTask) => ActivityText | Promise<ActivityText>;

/** Generates emails and letters. Loaded on first use, because it pulls in the AI client and the language detector. */
export class Activities {
  readonly #settings: ActivitySettings;
  readonly #clock: Clock;

  constructor(settings: ActivitySettings, clock: Clock = systemClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @throws ServiceError `contact_has_no_email`, `ai_provider_*`, and the errors of {@link openLetter} */
  async generate(order: NewActivity, people: Correspondents, log: EventLog): Promise<Made> {
    const provider = this.#settings.provider();
    return this.#make(order, people, log, (task) => writeActivityText(provider, task, log));
  }

  /** Makes a letter, or the links of an email, of a text that a person has edited. @throws as {@link generate} */
  async makeOfEdited(
    activityType: NewActivity['activityType'],
    { subject, content, ...order }: NewLetter & NewEmail,
    people: Correspondents,
    log: EventLog,
  ): Promise<Made> {
    const previous = { subject, content };
    return this.#make({ ...order, activityType, previous }, people, log, ({ previous: text, ...task }) =>
      editedText(text!, task),
    );
  }

  async #make(
    order: Pick<NewActivity, 'activityType'> & Partial<NewActivity> & Pick<NewLetter, 'replaces'>,
    { contact, project, user, folder }: Correspondents,
    log: EventLog,
    write: Write,
  ): Promise<Made> {
    const { defaultLanguage, houseStyle, timeZone } = this.#settings;
    const { activityType, description = '', hint, previous, tone, template, pdf, draft } = order;
    const language = order.language ?? defaultLanguage;
    const moment = { atMs: this.#clock.now(), timeZone, language };
    const date = isoLocal(moment).slice(0, 10);
    const text = { activityType, description, hint, previous, tone, language };
    const task = { ...text, contact, project, sender: senderName(user), houseStyle, date };
    if (activityType === 'Email') return this.#email(task, user, { draft, log }, write);
    if (order.store === false) {
      const written = await write(task);
      return { ...written, warnings: [...written.warnings, ...addressWarnings(contact, language)] };
    }
    const letter = { contact, template, moment, user, folder, pdf, replaces: order.replaces };
    const store = await openLetter(this.#settings.letters(), letter, log);
    return store(await write(task));
  }

  async #email(
    task: WritingTask,
    user: User,
    { draft, log }: { draft: boolean | undefined; log: EventLog },
    write: Write,
  ): Promise<EmailActivity> {
    const recipient = recipientOf(task.contact);
    const mailbox = draft ? this.#settings.mailbox() : null;
    // Before the provider is paid.
    await mailbox?.signIn(user);
    const email = emailActivity(await this.#writeSigned(task, user, log, write), recipient, task.language);
    return mailbox === null
      ? email
      : withDraft(mailbox, user, recipient, email).catch((error: unknown) => {
          throw withText(error, email);
        });
  }

  /** The provider and the checks see the text without the company's details. */
  async #writeSigned(task: WritingTask, user: User, log: EventLog, write: Write): Promise<ActivityText> {
    const { language, previous } = task;
    const graph = this.#settings.emailProfile();
    if (graph === null) return write(task);
    const profile = await signatureOf(graph, user, language, log);
    const ending = `\n${companyLines(profile.signature, language)}`;
    const unsigned = previous && { ...previous, content: previous.content.replace(ending, '') };
    const { content, warnings, ...written } = await write({ ...task, previous: unsigned });
    return { ...written, content: content + ending, warnings: [...warnings, ...profile.warnings] };
  }

  /** @throws ServiceError `not_configured`, `word_template_not_found`, `word_template_invalid` of the first template with a fault */
  async checkTemplates(log: EventLog): Promise<void> {
    const { templates } = this.#settings.letters();
    for (const { name } of templates.items) {
      await templates.template(name, this.#settings.defaultLanguage, log);
    }
  }

  templates(): { name: string; isDefault: boolean }[] {
    return this.#settings.letters().templates.items;
  }
}
