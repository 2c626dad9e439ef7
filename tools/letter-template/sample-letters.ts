import type { LetterValues } from '../../lib/activities/letter/filling/placeholders.ts';

const paragraph =
  'Bei der gemeinsamen Begehung der Baustelle haben wir festgestellt, dass die Arbeiten an der Fassade noch nicht den vereinbarten Stand erreicht haben. Bitte stellen Sie die ausstehenden Leistungen bis zum vereinbarten Termin fertig, und zeigen Sie uns die Fertigstellung schriftlich an.';
const items = Array.from(
  { length: 12 },
  (_, index) =>
    `${index + 1}. Bauteil ${index + 1}: Anschlüsse der Abdichtung und Nacharbeiten an den Stößen`,
);

/** Every value, a long address, a list, and enough text for a second page. */
const full: LetterValues = {
  company: 'Ingenieurgemeinschaft für Hoch- und Tiefbau Schleswig-Holstein mbB, Niederlassung Kiel',
  title: 'Frau Prof. Dr.-Ing.',
  firstName: 'Maximiliane',
  lastName: 'von Hohenlohe-Langenburg',
  street: 'Bürgermeister-Friedrich-Wilhelm-Straße am Alten Botanischen Garten',
  houseNumber: '112 b',
  zip: '24103',
  city: 'Kiel',
  subject: 'Neubau der Grundschule Gaarden, Bauabschnitt 2: ausstehende Leistungen an der Fassade',
  content: [
    'Sehr geehrte Frau Prof. Dr. von Hohenlohe-Langenburg,',
    `vielen Dank für das Gespräch in der vergangenen Woche. ${paragraph}`,
    'Im Einzelnen fehlen noch:',
    items.join('\n'),
    ...Array<string>(5).fill(paragraph),
    'Für Rückfragen stehen wir Ihnen gern zur Verfügung.',
    'Mit freundlichen Grüßen',
  ].join('\n\n'),
  userFirstName: 'Jörg',
  userLastName: 'Schäfer',
  userEmail: 'joerg.schaefer@niederlassung-nord.musterbau.example',
  userPhone: '+49 40 55512-20',
  userFax: '+49 40 55512-99',
  userCompany: 'Muster Bau GmbH',
  userStreet: 'Werftstraße 7',
  userPostalCode: '20457',
  userCity: 'Hamburg',
};

/** The remaining values if the contact is a company and the sender's profile cannot be read. */
const minimal: LetterValues = {
  ...full,
  company: 'Bau GmbH',
  title: '',
  firstName: '',
  lastName: '',
  street: 'Am Kai',
  houseNumber: '5',
  subject: 'Ihre Anfrage',
  content: 'Sehr geehrte Damen und Herren,\n\nvielen Dank für Ihre Anfrage.\n\nMit freundlichen Grüßen',
  userPhone: '',
  userFax: '',
  userCompany: '',
  userStreet: '',
  userPostalCode: '',
  userCity: '',
};

export const sampleLetters = { full, minimal };
