import PizZip from 'pizzip';

const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
].join(' ');

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const packageRelationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const partTypes: [RegExp, string][] = [
  [/^word\/document\.xml$/, `${wordType}.document.main+xml`],
  [/^word\/header\d*\.xml$/, `${wordType}.header+xml`],
  [/^word\/footer\d*\.xml$/, `${wordType}.footer+xml`],
  [/^word\/footnotes\.xml$/, `${wordType}.footnotes+xml`],
  [/^word\/endnotes\.xml$/, `${wordType}.endnotes+xml`],
  [/^word\/comments\.xml$/, `${wordType}.comments+xml`],
  [/^docProps\/core\.xml$/, 'application/vnd.openxmlformats-package.core-properties+xml'],
];

const roots: Record<string, string> = {
  header: 'w:hdr',
  footer: 'w:ftr',
  footnotes: 'w:footnotes',
  endnotes: 'w:endnotes',
  comments: 'w:comments',
  settings: 'w:settings',
  styles: 'w:styles',
};

/**
 * A Word file with the given body. `parts` adds other parts by path: for headers, footers, and notes, the contents of
 * their root element; for all others, the whole part. Written with PizZip, which shares nothing with the code under
 * test.
 */
export function wordFile(body: string, parts: Record<string, string | Buffer> = {}, type?: string): Buffer {
  const zip = new PizZip();
  const all: Record<string, string | Buffer> = {
    'word/document.xml': `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
  };
  for (const [path, content] of Object.entries(parts)) {
    const root = roots[/^word\/([a-z]+)\d*\.xml$/.exec(path)?.[1] ?? ''];
    all[path] = root === undefined ? content : `<${root} ${namespaces}>${content.toString()}</${root}>`;
  }
  for (const [path, related] of Object.entries(relationshipsFor(all))) all[path] = related;
  const overrides = Object.keys(all).flatMap((path) => {
    const known = partTypes.find(([pattern]) => pattern.test(path))?.[1];
    const contentType = path === 'word/document.xml' ? (type ?? known) : known;
    return contentType === undefined ? [] : [`<Override PartName="/${path}" ContentType="${contentType}"/>`];
  });
  zip.file(
    '[Content_Types].xml',
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
  );
  for (const [path, content] of Object.entries(all)) {
    zip.file(
      path,
      typeof content === 'string' && path.endsWith('.xml')
        ? `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${content}`
        : content,
    );
  }
  return zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' });
}

/** As Word writes them for parts at the usual places that none of the given files of relationships names. */
function relationshipsFor(parts: Readonly<Record<string, string | Buffer>>): Record<string, string> {
  const named = new Set(
    Object.entries(parts).flatMap(([path, content]) =>
      path.endsWith('.rels')
        ? [...content.toString().matchAll(/<Relationship (?![^>]*"External")[^>]*Target="([^"]*)"/g)].map(
            ([, target = '']) => new URL(target, `part:/${path.replace('_rels/', '')}`).pathname,
          )
        : [],
    ),
  );
  const isNamed = (path: string): boolean => named.has(`/${path}`);
  const made: Record<string, string> = {};
  for (const [file, usual] of [
    ['_rels/.rels', /^(?:word\/document|docProps\/[^/]*)\.xml$/],
    ['word/_rels/document.xml.rels', /^(?:word(?:\/charts)?|customXml)\/(?!document)[^/]*\.xml$/],
  ] as const) {
    const added = Object.keys(parts)
      .filter((path) => usual.test(path) && !isNamed(path))
      .map((path, index) => {
        const kind = /(\w+?)\d*\.xml$/.exec(path)![1]!;
        const type = kind === 'document' ? 'officeDocument' : kind;
        return `<Relationship Id="added${index}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="/${path}"/>`;
      });
    const own = parts[file]?.toString() ?? `<Relationships xmlns="${packageRelationships}"></Relationships>`;
    if (parts[file] === undefined && added.length === 0) continue;
    made[file] = own.replace('</Relationships>', `${added.join('')}</Relationships>`);
  }
  return made;
}

/** The text of one part as a list of paragraphs; a line break is `\n`, a tab `\t`. Throws if the XML is not well-formed. */
export function paragraphsOf(file: Buffer, path = 'word/document.xml'): string[] {
  const xml = partOf(file, path);
  assertWellFormed(xml);
  return [...xml.matchAll(/<w:p(?:\s[^>]*)?>(.*?)<\/w:p>/gs)].map(([, inside = '']) =>
    unescaped(
      inside
        .replace(/<w:br\/>/g, '\n')
        .replace(/<w:tab\/>/g, '\t')
        .replace(/<[^>]*>/g, ''),
    ),
  );
}

export function partOf(file: Buffer, path: string): string {
  const part = new PizZip(file, { checkCRC32: true }).file(path);
  if (part === null) throw new Error(`${path} is missing`);
  return part.asText();
}

/** XML 1.0: legal characters, entities and nesting. Attributes must be in double quotes, as Word writes them. */
function assertWellFormed(xml: string): void {
  // oxlint-disable-next-line no-control-regex -- XML 1.0 section 2.2
  const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(xml);
  if (illegal) throw new Error(`illegal character U+${illegal[0].codePointAt(0)?.toString(16)}`);
  const open: string[] = [];
  const token = /<\?[^?]*\?>|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|[^<]+/gy;
  let at = 0;
  for (const match of xml.matchAll(token)) {
    const [whole, closing, name, , empty] = match;
    at = match.index + whole.length;
    if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/.test(whole)) throw new Error(`bare & in ${whole}`);
    if (name === undefined || empty === '/') continue;
    if (closing !== '/') open.push(name);
    else if (open.pop() !== name) throw new Error(`unexpected </${name}> at ${match.index}`);
  }
  if (at !== xml.length || open.length > 0)
    throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 80)}`);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
