// Every repetition is bounded or cannot overlap with what follows it, because a prompt injection can make a model write
// 20,000 braces. Texts in tests/support/text-corpus, which cite what real models leave behind, cover each pattern.

/** Gaps that the reader is expected to fill in, and tags. */
export const gaps: readonly RegExp[] = [
  /\[[^\]\n]{1,60}\]|\{{1,2}[^{}\n]{1,60}\}{1,2}|<\/?\p{L}[^>\n]{0,60}>/gu,
  // XXX, XX.XX.2027, 10:XX, XX Uhr; but "zum XX. Kongress" has a Roman numeral.
  /_{3,}|\.{5,}|(?<![\p{L}\d.:])(?:\d{1,2}[.:])?(?:X{2,}|x{2,})(?:[.:](?:XX|xx|\d{1,4})){0,2}(?![\p{L}\d]|\.\s\p{Lu})/gu,
  /(?<!\p{L})(?:(?:TT|DD)\.MM\.(?:JJJJ|YYYY|JJ|YY)?|JJJJ|hh:mm)(?!\p{L})/giu,
  /\((?:bitte |hier )?(?:Datum|Name|Betrag|Uhrzeit|Ort|Anschrift|Adresse|Nummer|Telefonnummer|Ansprechpartner|Firma|Frist|date|name|amount|time|address)(?:\s(?:des|der|of the)\s\p{L}{1,30})?\)/giu,
  /\([^()\n]{0,40}(?:einfügen|einsetzen|ergänzen|eintragen|nachtragen|ausfüllen)\)|\((?:insert|add|fill in)\s[^()\n]{0,40}\)/giu,
];

/** Markup that does not occur in letters. A list with "- " does, so it is allowed. */
export const markdown: readonly RegExp[] = [
  // Excludes Kolleg*innen and 3 * 4 * 5.
  /(?<![\p{L}\d*_~])([*_]{1,3}|~~)(?=[^\s*_~])[^*_~\n]{0,80}(?<=\S)\1(?![\p{L}\d*_~])/gu,
  /^[ \t]*(?:#{1,6}|\*|>) \S.*$/gm,
  /^[ \t]*\|.*\|[ \t]*$/gm,
  /`[^`\n]+`/g,
];

/** Informal address in German. */
export const informal: readonly RegExp[] = [
  /(?<!\p{L})(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein(?:e[mnrs]?)?|[Ee]uch|[Ee]uer|[Ee]ure[mnrs]?|[Gg]ib|[Nn]imm)(?!\p{L})/gu,
  // "ihr" also means "her" and "their".
  /(?<!\p{L})(?:könnt|habt|hätt|seid|wollt|müsst|dürft|sollt|werd|würd|wisst|möcht)(?:et)?\sihr(?!\p{L})/giu,
  /(?:(?:^|[.!?:]\s{1,2})(?:Schickt?|Schau|Sag|Ruf|Komm|Mach|Lass|Denk|Bring|Meld|Prüf|Hol|Stell|Sende|Schreib)|(?<!\p{L})[Bb]itte\s(?:schick|schau|sag|ruf|komm|mach|lass|denk|bring|prüf|hol|stell|schreib))\s(?:mir|uns|ihn|sie|es|bitte|mal|doch|einfach|kurz|Bescheid|den|die|das|unseren|daran)(?!\p{L})/gmu,
];

/** What models say to the person who gave the order, and not to the recipient. */
export const chatter: readonly RegExp[] = [
  // What stands there instead of a letter when a model declines.
  /(?<!\p{L})als\s(?:ein\s)?(?:KI|(?:KI-|großes )?Sprachmodell)(?!\p{L})[^\s.,]{0,20}|(?<!\p{L})as an AI(?!\p{L})/giu,
  /^(?:(?:Gerne?|Natürlich|Selbstverständlich|Klar|Sicher|Sure|Certainly|Of course)[,!.]?\s)?(?:hier|im Folgenden|nachfolgend|here)\s(?:ist|sind|finden Sie|folgt|is|are)\s[^\n]{0,60}(?:Text|Mail|Brief|Entwurf|Anschreiben|Schreiben|Nachricht|Formulierung|draft|letter|email|text)[^\n]{0,60}:?$/gimu,
  /(?<!\p{L})Gerne? (?:passe|ändere|überarbeite|formuliere|erstelle) ich [^.\n]{0,60}|(?:passe|ändere|überarbeite|formuliere|kürze) ich (?:den|das|die|Ihnen|es) [^.\n]{0,40}(?:Text|Schreiben|Mail|Brief|Entwurf|Ton)(?!\p{L})/giu,
  /(?<!\p{L})(?:Soll ich|Möchten Sie,? dass ich) [^.?\n]{0,40}(?<!\p{L})(?:Ton|Text|Schreiben|E-?Mail|Brief|Formulierung|Nachricht|Fassung|Version|Variante)(?!\p{L})[^.?\n]{0,120}\?/giu,
  /^(?:Hinweis|Anmerkung):[^\n]{0,160}(?:genannt|angegeben|weggelassen|verzichtet)[^\n]{0,60}$/gimu,
  /(?<!\p{L})(?:findet|erreicht) (?:Sie|dich) (?:wohl|bei bester Gesundheit|gut)(?!auf)(?:behalten)?(?!\p{L})|finds? you well/giu,
];

// Greek letters that occur in units and formulas (µ, Ω, α to δ) are not among these.
const lookalike = String.raw`[\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορτυχ]`;

/** Letters that look like others, emoji, and digits of other scripts: unreadable to search and checks. */
export const unusualCharacters: readonly RegExp[] = [
  new RegExp(
    String.raw`(?<!\p{L})(?:${lookalike}{1,20}\p{Script=Latin}|\p{Script=Latin}{1,20}${lookalike})\p{L}{0,30}`,
    'gu',
  ),
  /\p{Emoji_Presentation}|(?:(?!\d)\p{Nd})+/gu,
];

/** Mentions of an attachment. `Anlage` alone may be a machine. */
export const attachments: readonly RegExp[] = [
  /(?<!\p{L})(?:anbei|(?:bei|an)gefügte?[mnrs]?|beiliegende?[mnrs]?|angehängte?[mnrs]?|beigelegte?[mnrs]?|attached|enclosed)(?!\p{L})/giu,
  /(?<!\p{L})(?:im|als|in der|zum|in the)\s(?:\p{L}{1,20}\s)?(?:Anhang|Anlagen?|Beilage|attachment)(?!\p{L}|\s\d)/giu,
  /^Anlagen?(?=:|$)/gimu,
  // "Legen Sie … bei" asks for an attachment of the recipient's; "legen … an" encloses nothing.
  /(?<!\p{L})(?:(?:liegt|liegen|legen?|fügen?)(?:\s(?!Sie\s)[^.\n]{0,60})?\sbei|(?:fügen?|hängen?)\s(?!Sie\s)[^.\n]{0,60}\san)(?=[.,])/giu,
];

const alternatives = (words: string): string => words.replaceAll(' ', '|');
/** Nouns with the endings of their cases: no verb (`beantragen`, `berichtigen`) and no other noun (`Ausbildung`). */
const documentNouns = [
  `(?:${alternatives(
    'angebot protokoll gutachten zeugnis bericht bescheid beleg attest ergebnis aufmaß konzept muster formular foto logo ' +
      'lebenslauf prospekt dokument verzeichnis katalog plakat ausweis zettel flyer pdf scan scheck gutschein lieferschein ' +
      'nachweis voranschlag zertifikat schlüssel statik agenda offer invoice drawing list photo report contract document',
  )})(?=(?:s?es?|s|n)?$)`,
  `(?:${alternatives(
    'rechnung unterlage liste kopie bescheinigung zeichnung quittung vollmacht aufstellung übersicht broschüre datei ' +
      'bürgschaft mahnung kalkulation skizze tabelle krankmeldung bewerbung anmeldung einladung tagesordnung police ' +
      'abrechnung mappe unterschrift karte satzung auswertung bestätigung urkunde',
  )})(?=(?:n|en)?$)`,
  'bild(?=(?:e?s|ern?)?$)',
  'bl[aä]tt(?=(?:e?s|ern?)?$)',
  'pl(?:an(?=s?$)|än(?=en?$))',
  '(?:vertr|antr|nachtr)(?:ag(?=(?:e?s)?$)|äg(?=en?$))',
  'entw(?:urf(?=(?:e?s)?$)|ürf(?=en?$))',
  'ausz(?:ug(?=(?:e?s)?$)|üg(?=en?$))',
];
/** The last part of a compound says what it is: a `Prüfbericht` is a report. */
const documentWord = new RegExp(`^(?:.*-|.{3,})?(${documentNouns.join('|')})`, 'iu');

/** The documents that a text names, without prefix and ending: `plan` for `Lagepläne`. */
export const documentsIn = (text: string): string[] =>
  (text.match(/\p{L}[\p{L}-]{2,60}/gu) ?? []).flatMap((word) => {
    const [, noun] = documentWord.exec(word) ?? [];
    return noun === undefined ? [] : [noun.toLowerCase().replace('ä', 'a').replace('ü', 'u')];
  });

/** An order with one of these asks for an attachment. */
export const attachmentOrdered =
  /(?<!\p{L})(?:anh(?:a|ä)ng|(?:dr)?anhängen|anl\.|anlagen?(?!\p{L})|anbei|angehäng|dran(?=\s?(?:[.,;()\n]|gehäng))|(?:bei|an)gefügt|bei(?:lieg|lag|leg)|(?:dr)?anzuhängen|hängt? an(?!\p{L})|hängen an(?!\p{L})|(?:mit|zu|über)(?:zu|ge)?(?:schick|send|sand)|(?:schicken|senden) wir|attach|enclos)|lieg(?:t|en)(?: \p{L}+){0,3} bei(?!\p{L})|(?:foto|bild|plan|liste|pdf|kopie|unterlage|schein)\p{Ll}{0,2} dabei/iu;
