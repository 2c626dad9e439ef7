import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Contact } from '../../../lib/contacts/contact.ts';
import type { Finding } from '../../../lib/activities/text/text-check.ts';
import type { WrittenText } from '../../../lib/activities/text/task/text-provider.ts';
import type { WritingTask } from '../../../lib/activities/text/task/writing-task.ts';
import type { Project } from '../../../lib/projects/project.ts';

/** A text that a model might write for a company, and the fault that a careful reader would find in it. */
export interface LabeledText {
  readonly task: WritingTask;
  readonly text: WrittenText;
  /** `null`: ready to send. */
  readonly fault: { readonly code: Fault; readonly excerpt: string } | null;
}

/** The check finds no invented promise: that requires understanding. */
export type Fault = Finding['code'] | 'promise';

const updatedAt = '2026-11-20T10:00:00.000Z';

function contact(company: string, title: string | null, firstName: string | null, lastName: string | null) {
  const address = { street: null, houseNumber: null, zip: null, city: null, email: null };
  return { id: 'c', company, title, firstName, lastName, ...address, updatedAt } satisfies Contact;
}

const contacts: Readonly<Record<string, Contact>> = {
  weber: contact('Bau & Söhne GmbH', 'Frau Dr.', 'Anna', 'Weber'),
  krueger: contact('Elektro Krüger GmbH', 'Herr', 'Thomas', 'Krüger'),
  lang: contact('Lang Gerüstbau', 'Herr', 'Peter', 'Lang'),
  stadt: contact('Stadt Kiel, Amt für Hochbau', null, null, null),
  yilmaz: contact('Yilmaz Trockenbau', 'Frau', 'Elif', 'Yilmaz'),
  petersen: contact('', 'Familie', null, 'Petersen'),
  nowak: contact('Nowak Estriche', null, 'Jan', 'Nowak'),
  bauer: contact('Architekturbüro Bauer', 'Herr Dipl.-Ing.', 'Martin', 'Bauer'),
  schulz: contact('', 'Frau', 'Gabriele', 'Schulz'),
  meier: contact('Hausverwaltung Meier', 'Frau', 'Sabine', 'Meier'),
  smith: contact('Brown & Smith Ltd', 'Herr', 'John', 'Smith'),
  hoffmann: contact('Ingenieurbüro Hoffmann', 'Herr Prof. Dr.-Ing.', 'Karl', 'Hoffmann'),
  nordstern: contact('Nordstern Versicherung AG', 'Frau', 'Claudia', 'Brinkmann'),
  kroeger: contact('Immobilien Kröger KG', 'Herr', 'Detlef', 'Kröger'),
  ahrens: contact('Steuerkanzlei Ahrens & Partner', 'Herr Dr.', 'Wolfgang', 'Ahrens'),
  lindemann: contact('Gemeinschaftsschule am Hafen', 'Frau', 'Beate', 'Lindemann'),
  sahin: contact('Praxis für Arbeitsmedizin', 'Frau Dr. med.', 'Farida', 'Şahin'),
  oeztuerk: contact('Malerbetrieb Öztürk', 'Herr', 'Cem', 'Öztürk'),
  thomsen: contact('TSV Holtenau 1908 e. V.', null, 'Sönke', 'Thomsen'),
  oneill: contact('', 'Frau', 'Fiona', 'O’Neill'),
  stadtwerke: contact('Stadtwerke Eckernförde GmbH', null, null, null),
  hinrichsen: contact('', 'Familie', null, 'Hinrichsen'),
  dubois: contact('Bytewerk IT-Service', 'Herr', 'Marcel', 'Dubois'),
  reimers: contact('Kanzlei Reimers', 'Frau Rechtsanwältin', 'Dörte', 'Reimers'),
  demir: contact('', 'Frau', 'Aylin', 'Demir'),
  bank: contact('Förde Sparkasse', 'Herr', 'Hauke', 'Petersen'),
};

const projects: Readonly<Record<string, Project>> = {
  kita: { id: 'p', number: 'P-2026-014', name: 'Neubau Kita Nord', updatedAt },
  schule: { id: 'p', number: '2025-088', name: 'Sanierung Grundschule Am Park', updatedAt },
  halle: { id: 'p', number: 'H-117', name: 'Logistikhalle Neumünster', updatedAt },
  efh: { id: 'p', number: '26-031', name: 'Einfamilienhaus Petersen', updatedAt },
  buero: { id: 'p', number: 'BV-26.07', name: 'Umbau Bürogebäude Werftstraße', updatedAt },
  umzug: { id: 'p', number: '2027-03', name: 'Umzug Hafenstraße', updatedAt },
};

const senders: Readonly<Record<string, string>> = {
  js: 'Jörg Schäfer',
  mk: 'Miriam Kolb',
  tb: 'Torsten Brandt',
  tt: 'Tanja Textor',
  pv: 'Paul Vogt',
  iw: 'Ines Wulff',
};

const authors =
  'another second third fourth fifth sixth seventh ninth tenth eleventh twelfth thirteenth fourteenth fifteenth';
export const labeledSets: readonly string[] = authors.split(' ').map((author) => `${author}-author.txt`);

/** @param file one of `labeledSets`, or an absolute path. @throws Error for a head with a name that nobody has */
export function labeledTexts(file: string): LabeledText[] {
  const parts = readFileSync(resolve(import.meta.dirname, file), 'utf8')
    .split(/^=== /m)
    .slice(1);
  return parts.map((part) => {
    const [head = '', description = '', , subject = '', , ...content] = part.trimEnd().split('\n');
    const [, type, to = '', about = '', by = '', english, code, excerpt = ''] =
      /^(Email|Document) (\w+) ([\w-]+) (\w+)( en)?(?: ! (\w+) ?(.*))?$/.exec(head) ?? [];
    const recipient = contacts[to];
    const sender = senders[by];
    if (recipient === undefined || sender === undefined || (about !== '-' && projects[about] === undefined)) {
      throw new Error(`${file}: cannot read "${head}"`);
    }
    return {
      task: {
        activityType: type === 'Email' ? 'Email' : 'Document',
        description,
        contact: recipient,
        project: projects[about] ?? null,
        sender,
        language: english ? 'en' : 'de',
        date: '2026-11-20',
        houseStyle: '',
      },
      text: { subject, content: content.join('\n') },
      fault: code === undefined ? null : { code: code as Fault, excerpt },
    };
  });
}

/** Texts in languages other than German, each with its ISO 639 code or, for Romanian, ISO 639-3. */
export function otherLanguages(): { language: string; text: string }[] {
  const lines = readFileSync(join(import.meta.dirname, 'other-languages.txt'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [language = '', text = ''] = line.split('\t');
    return { language, text };
  });
}
