// Every repetition is bounded or cannot overlap with what follows it, because a prompt injection can make a model write
// 20,000 braces. Texts in tests/support/text-corpus, which cite what real models leave behind, cover each pattern.

/** Gaps that the reader is expected to fill in. */
export const gaps: readonly RegExp[] = [
  // Excludes a Markdown link, [text](address).
  /\[[^\]\n]{1,60}\](?!\()/g,
  /\{{1,2}[^{}\n]{1,60}\}{1,2}/g,
  /<(?!\/?(?:b|i|u|strong|em|br|p|ul|ol|li|h[1-6]|a|table|tr|td|th|div|span|code|pre)\b)[\p{L}][^>\n]{0,60}>/giu,
  // A Word merge field.
  /«[\p{L}_]{1,40}»/gu,
  /_{3,}|\.{5,}|(?<![\p{L}\d])(?:X{3,}|x{3,}|XYZ?)(?![\p{L}\d])/gu,
  // Dates and times: XX.XX.2027, XX.XX., XX:XX, and 12.XX.2027, 10:XX. A lone XX may be a Roman numeral.
  /(?<![\p{L}\d])(?:XX|xx)(?:[.:](?:XX|xx|\d{1,4}))+(?![\p{L}\d])/gu,
  /(?<![\p{L}\d.:])\d{1,2}[.:](?:XX|xx)(?![\p{L}\d])/gu,
  /(?<![\p{L}\d])(?:xx\s|XX\s(?=\p{L}|[%€]))/gu,
  /(?<![\p{L}\d])(?:(?:TT|DD)\.MM\.(?:JJJJ|YYYY|JJ|YY)?|JJJJ|hh:mm|00\.00\.0000)(?![\p{L}\d])/giu,
  /(?<!\p{L})(?:Muster(?:mann|frau|firma|straße|stadt|weg)|Lorem ipsum)(?!\p{L})/gu,
  /(?<!\p{L})(?:Herrn?|Frau|Firma|Fa\.)\s(?:X|Y|N\.\s?N\.)(?![\p{L}\d])/gu,
  /\((?:bitte |hier )?(?:Datum|Name|Betrag|Uhrzeit|Ort|Anschrift|Adresse|Nummer|Telefonnummer|Ansprechpartner|Firma|Frist|date|name|amount|time|address)(?:\s(?:des|der|of the)\s\p{L}{1,30})?\)/giu,
  /\([^()\n]{0,40}(?:einfügen|einsetzen|ergänzen|eintragen|nachtragen|ausfüllen)\)|\((?:insert|add|fill in)\s[^()\n]{0,40}\)/giu,
  /(?<!\p{L})(?:am|um|vom|bis|zum|von|über|unter|Nr\.|Höhe)\s(?:\.{3}|…)(?=\s)|(?:\.{3}|…)\s(?:EUR|€|Euro|Uhr)(?!\p{L})/gu,
  /^(?:Ihr Name|Ihre (?:Position|Telefonnummer|Abteilung|Kontaktdaten|Firma|Unterschrift)|Vorname Nachname|Name des Absenders|Your Name|Your Position)$/gimu,
];

/** Markup that does not occur in letters. A list with "- " does, so it is allowed. */
export const markdown: readonly RegExp[] = [
  /\*\*[^*\n]+\*\*|(?<!_)__[^_\n]+__(?!_)|~~[^~\n]+~~/g,
  // Excludes Kolleg*innen and 3 * 4 * 5.
  /(?<![\p{L}\d*])\*(?=[^\s*])[^*\n]{0,80}[^\s*]\*(?![\p{L}\d*])/gu,
  /(?<![\p{L}\d_])_(?=[^\s_])[^_\n]{0,80}[^\s_]_(?![\p{L}\d_])/gu,
  /^#{1,6} .*$/gm,
  /^[ \t]*\* \S.*$/gm,
  /^[ \t]*(?:-{3,}|\*{3,})[ \t]*$/gm,
  /^[ \t]*\|.*\|[ \t]*$/gm,
  /`[^`\n]+`|^```.*$/gm,
  /^[ \t]*> ?\p{L}.*$/gmu,
  /\[[^\]\n]{1,80}\]\([^()\s]{1,200}\)/g,
  /<\/?(?:b|i|u|strong|em|br|p|ul|ol|li|h[1-6]|a|table|tr|td|th|div|span|code|pre)(?:\s[^<>\n]{0,100})?\/?>/giu,
];

/** Informal address in German. */
export const informal: readonly RegExp[] = [
  /(?<!\p{L})(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein(?:e[mnrs]?)?|[Dd]einerseits|[Dd]einetwegen|[Ee]uch|[Ee]uer|[Ee]ure[mnrs]?)(?!\p{L})/gu,
  // "ihr" also means "her" and "their", so it counts only where the verb or the next word is unambiguous.
  /(?<!\p{L})(?:könnt|habt|seid|wollt|müsst|dürft|sollt|werdet|wisst|möchtet|nehmt|gebt|seht|erhaltet|haltet|lasst|ladet)\sihr(?!\p{L})/giu,
  /(?<!\p{L})\p{Ll}{2,20}t\sihr\s(?:die|den|das|ein|eine|einen|uns|bitte|noch|auch|alle|schon)(?!\p{L})/gu,
  /(?:(?:^|[.!?:]\s{1,2})(?:Schickt?|Schau|Sag|Gib|Ruf|Komm|Mach|Nimm|Lass|Denk|Bring|Meld|Prüf|Hol|Stell|Sende|Schreib)|(?<!\p{L})[Bb]itte\s(?:schick|schau|sag|gib|ruf|komm|mach|nimm|lass|denk|bring|prüf|hol|stell|schreib))\s(?:mir|uns|ihn|sie|es|bitte|mal|doch|einfach|kurz|Bescheid|den|die|das|unseren|daran)(?!\p{L})/gmu,
];
