const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

const parts = {
  document: 'document.main',
  styles: 'styles',
  settings: 'settings',
  header1: 'header',
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
  ['rId5', 'footer', 'footer1.xml'],
);

// A line that ends in a line break keeps its word spacing although the paragraph is justified.
export const settings = '<w:compat><w:doNotExpandShiftReturn/></w:compat><w:themeFontLang w:val="de-DE"/>';

/** Sizes in half points, distances in twentieths of a point. */
const style = (
  name: string,
  {
    size,
    before = 0,
    after = 0,
    more = '',
    run = '',
  }: { size: number; before?: number; after?: number; more?: string; run?: string },
): string =>
  `<w:style w:type="paragraph" w:customStyle="1" w:styleId="${name}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr>${more.startsWith('<w:pBdr') ? more : ''}<w:spacing w:before="${before}" w:after="${after}"/>${more.startsWith('<w:pBdr') ? '' : more}</w:pPr><w:rPr>${run}<w:sz w:val="${size}"/><w:szCs w:val="${size}"/></w:rPr></w:style>`;

export const styles = [
  '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Liberation Sans" w:hAnsi="Liberation Sans" w:cs="Liberation Sans"/><w:sz w:val="22"/><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults>',
  '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>',
  style('Briefkopf', { size: 36, more: '<w:jc w:val="right"/>', run: '<w:b/><w:color w:val="1F4E79"/>' }),
  style('Absenderzeile', { size: 14, after: 120, run: '<w:u w:val="single"/>' }),
  style('Anschrift', { size: 22 }),
  style('Infoblock', { size: 18, after: 40 }),
  style('Betreff', { size: 22, before: 1400, after: 240, run: '<w:b/>' }),
  style('Brieftext', { size: 22, after: 160, more: '<w:jc w:val="both"/>' }),
  style('Unterschrift', { size: 22, before: 900 }),
  style('Fuss', { size: 15, more: '<w:jc w:val="center"/>', run: '<w:color w:val="5A6B7B"/>' }),
].join('');
