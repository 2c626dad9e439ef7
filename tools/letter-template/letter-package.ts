const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

const parts = {
  document: 'document.main',
  styles: 'styles',
  settings: 'settings',
  header1: 'header',
  header2: 'header',
  footer1: 'footer',
};

export const contentTypes = [
  `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`,
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
  ...Object.entries(parts).map(
    ([name, type]) => `<Override PartName="/word/${name}.xml" ContentType="${wordType}.${type}+xml"/>`,
  ),
  '</Types>',
].join('');

const relationships = (...targets: [id: string, type: string, target: string][]): string =>
  [
    `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`,
    ...targets.map(
      ([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`,
    ),
    '</Relationships>',
  ].join('');

export const packageRelationships = relationships(['rId1', 'officeDocument', 'word/document.xml']);
export const documentRelationships = relationships(
  ['rId2', 'styles', 'styles.xml'],
  ['rId3', 'settings', 'settings.xml'],
  ['rId4', 'header', 'header1.xml'],
  ['rId5', 'header', 'header2.xml'],
  ['rId6', 'footer', 'footer1.xml'],
);

// Keeps the word spacing of a line that ends with a line break, although the paragraph is justified.
export const settings = (language: string): string =>
  `<w:compat><w:doNotExpandShiftReturn/></w:compat><w:themeFontLang w:val="${language}"/>`;

interface Appearance {
  /** In half points. */
  readonly size: number;
  /** In twentieths of a point. */
  readonly before?: number;
  readonly after?: number;
  /** Paragraph properties in schema order: some before the spacing, some after it. */
  readonly first?: string;
  readonly last?: string;
  readonly run?: string;
}

const style = (
  name: string,
  { size, before = 0, after = 0, first = '', last = '', run = '' }: Appearance,
): string =>
  [
    `<w:style w:type="paragraph" w:customStyle="1" w:styleId="${name}"><w:name w:val="${name}"/>`,
    '<w:basedOn w:val="Normal"/><w:qFormat/>',
    `<w:pPr>${first}<w:spacing w:before="${before}" w:after="${after}"/>${last}</w:pPr>`,
    `<w:rPr>${run}<w:sz w:val="${size}"/><w:szCs w:val="${size}"/></w:rPr></w:style>`,
  ].join('');

const gray = '<w:color w:val="5A6B7B"/>';
// Labels are in a column of 22 mm; a long value continues below its start.
const labels = '<w:tabs><w:tab w:val="left" w:pos="1247"/></w:tabs>';

export const styles = (language: string): string =>
  [
    `<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Liberation Sans" w:hAnsi="Liberation Sans" w:cs="Liberation Sans"/><w:sz w:val="22"/><w:lang w:val="${language}"/></w:rPr></w:rPrDefault></w:docDefaults>`,
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>',
    style('Briefkopf', { size: 36, run: '<w:b/><w:color w:val="1F4E79"/>' }),
    style('Kopfzeile', { size: 16, run: gray }),
    style('Seitenzahl', { size: 16, last: '<w:jc w:val="right"/>', run: gray }),
    style('Absenderzeile', { size: 14, run: '<w:u w:val="single"/>' }),
    // Three lines of 10.5 points are 12.7 mm high.
    style('Vermerke', { size: 21 }),
    style('Anschrift', { size: 22 }),
    style('Infoblock', {
      size: 18,
      after: 40,
      first: labels,
      last: '<w:ind w:left="1247" w:hanging="1247"/>',
    }),
    style('Betreff', { size: 22, before: 480, after: 240, first: '<w:keepNext/>', run: '<w:b/>' }),
    style('Brieftext', { size: 22, after: 160, first: '<w:widowControl/>' }),
    style('Unterschrift', { size: 22, before: 760 }),
    style('Absender', { size: 22 }),
    style('Fuss', { size: 15, before: 20, run: gray }),
    style('Abstand', { size: 2 }),
  ].join('');
