import { isRecord } from './request-rules.ts';

export interface Text {
  readonly subject: string;
  readonly content: string;
}

/** A plausible business text from the data of the prompt. Repeats the description unchanged, as a poor model would. */
export function germanText(userMessage: string): Text {
  const data = dataOf(userMessage);
  const description = line(data['beschreibung'] ?? data['description']);
  const project = isRecord(data['projekt'])
    ? data['projekt']
    : isRecord(data['project'])
      ? data['project']
      : null;
  const projectName =
    project === null ? '' : `${line(project['nummer'] ?? project['number'])} ${line(project['name'])}`;
  const sender = line(data['absender'] ?? data['sender']);
  const matter = description.replace(/[.!?\s]+$/, '');
  const paragraphs = [
    line(data['anrede'] ?? data['salutation']) || 'Sehr geehrte Damen und Herren,',
    `wir kommen heute mit folgendem Anliegen auf Sie zu${projectName === '' ? '' : `, es betrifft das Projekt ${projectName}`}: ${matter}.`,
    'Bitte prüfen Sie, ob Sie damit einverstanden sind, und geben Sie uns eine kurze Rückmeldung. Wenn Sie dazu noch etwas von uns benötigen, lassen Sie es uns bitte wissen; wir kümmern uns gern darum.',
    'Für Ihre Mühe und die gute Zusammenarbeit bedanken wir uns herzlich.',
    ['Mit freundlichen Grüßen', sender].filter((part) => part !== '').join('\n'),
  ];
  const number = project === null ? '' : `${line(project['nummer'] ?? project['number'])}: `;
  return {
    subject: `${number}${firstWords(matter.replace(/[,;:.]\s.*$/, ''), 80 - number.length)}`,
    content: paragraphs.join('\n\n'),
  };
}

/** Texts with one fault each, for the check of the model's output. `description` keeps the text on its subject. */
export const faultyTexts: Record<string, (text: Text) => Text> = {
  'gap-left': (text) => changeContent(text, (content) => `${content}\n[Ihr Name]`),
  markdown: (text) =>
    changeContent(text, (content) => content.replace('Bitte prüfen Sie', '**Bitte prüfen Sie**')),
  'du-form': (text) =>
    changeContent(text, (content) => content.replace('Für Ihre Mühe', 'Danke dir! Für Ihre Mühe')),
  'invented-figure': (text) =>
    changeContent(text, (content) =>
      content.replace('Bitte prüfen Sie', 'Der Preis beträgt 4.711,00 EUR. Bitte prüfen Sie'),
    ),
  // No fault: 6.200 and 19 %.
  'calculated-figure': (text) =>
    changeContent(text, (content) =>
      content.replace('Bitte prüfen Sie', 'Mit Mehrwertsteuer sind es 7.378,00 EUR. Bitte prüfen Sie'),
    ),
  'no-salutation': (text) => changeContent(text, (content) => content.replace(/^.*\n+/, '')),
  'long-text': (text) =>
    changeContent(text, (content) =>
      content.replace(
        'Bitte prüfen Sie',
        `${'Wir bitten um Beachtung aller Einzelheiten, '.repeat(40)}danke. Bitte prüfen Sie`,
      ),
    ),
  english: (text) =>
    changeContent(text, (content) =>
      content.replace(
        /\n\n[^]*(?=\n\nMit freundlichen)/,
        '\n\nwe kindly ask you to confirm the new date and to let us know whether you need anything else from us.',
      ),
    ),
  // Models misspell rare names, for example Webr for Weber.
  'altered-name': (text) => {
    const name = /(\p{L}+),/u.exec(text.content)?.[1] ?? '';
    return changeContent(text, (content) =>
      content.replaceAll(name, `${name.slice(0, -2)}${name.slice(-1)}`),
    );
  },
};

function firstWords(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length + 1).replace(/[,;:]?\s+\S*$/, '');
}

function changeContent(text: Text, change: (content: string) => string): Text {
  return { ...text, content: change(text.content) };
}

function dataOf(userMessage: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(userMessage);
    return isRecord(data) ? data : {};
  } catch {
    return { beschreibung: userMessage };
  }
}

function line(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
}
