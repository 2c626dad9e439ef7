/** The XML of each part by name. */
export type TemplateXml = ReadonlyMap<string, string>;

/** The codes of all fields; Word may split one into several runs. */
export function codesOf(xml: string): string[] {
  const simple = [...xml.matchAll(/<w:fldSimple\s[^>]*?w:instr="([^"]*)"/g)].map(([, code = '']) => code);
  const complex = xml
    .split(/w:fldCharType="begin"/)
    .slice(1)
    .map((field) =>
      [...field.split(/w:fldCharType="(?:separate|end)"/)[0]!.matchAll(/<w:instrText[^>]*>([^<]*)</g)]
        .map(([, code]) => code)
        .join(''),
    );
  return [...simple, ...complex].map(plain);
}

export const textOf = (xml: string): string => plain(xml.replaceAll(/<[^>]*>/g, '')).trim();

export const plain = (xml: string): string =>
  xml
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
