// Every repetition is bounded or cannot overlap with what follows it, because a prompt injection can make a model write
// 20,000 braces. Texts in tools/evaluation/labeled-texts, which cite what real models leave behind, cover each pattern.

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

const word = (...alternatives: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<!\p{L})(?:${alternatives.join('|')})(?!\p{L})`, 'giu');

// "Legen Sie … bei" asks for an attachment of the recipient's; "legen … an" encloses nothing.
const ours = String.raw`\s(?!Sie\s)[^.\n]{0,60}`;

/** Mentions of an attachment. `Anlage` alone may be a machine. */
export const attachments: readonly RegExp[] = [
  word('anbei', '(?:bei|an)gefügte?[mnrs]?', 'beiliegende?[mnrs]?', 'attached', 'enclosed'),
  word('angehängte?[mnrs]?', 'beigelegte?[mnrs]?'),
  new RegExp(
    String.raw`(?<!\p{L})(?:im|als|in der|zum|in the)\s(?:\p{L}{1,20}\s)?(?:Anhang|Anlagen?|Beilage|attachment)(?!\p{L}|\s\d)`,
    'giu',
  ),
  /^Anlagen?(?=:|$)/gimu,
  new RegExp(String.raw`(?<!\p{L})(?:liegt|liegen|legen?|fügen?)(?:${ours})?\sbei(?=[.,])`, 'giu'),
  new RegExp(String.raw`(?<!\p{L})(?:fügen?|hängen?)${ours}\san(?=[.,])`, 'giu'),
];

const asks = [
  String.raw`anh[aä]ng\p{L}*`,
  String.raw`(?:dr)?an(?:zu)?häng\p{L}*`,
  String.raw`angehäng\p{L}*`,
  String.raw`häng(?:e|en|t)?(?: \p{L}+){0,4} an(?!\p{L})`,
  String.raw`dran(?=\s?(?:[.,;()\n]|gehäng))`,
  String.raw`anl\.`,
  String.raw`anlagen?(?!\p{L})`,
  String.raw`anbei`,
  String.raw`(?:bei|an)(?:zu|ge)?füg\p{L}*`,
  String.raw`bei(?:zu|ge)?l[ie]g\p{L}*`,
  String.raw`l(?:ieg|eg)(?:e|en|t)?(?: \p{L}+){0,4} bei(?!\p{L})`,
  String.raw`mit(?:zu|ge)?(?:schick|send|sand)\p{L}*`,
  String.raw`(?:schicken|senden) wir`,
  // Not what the recipient is to send.
  String.raw`(?<!(?:bitte|soll|sollen|muss)\s[^,.;\n]{0,60})(?:ver|zu|über)?(?:schicken|senden)(?!\p{L})`,
  String.raw`\p{L}*(?:foto|bild|plan|liste|pdf|kopie|unterlage|schein)\p{Ll}{0,2} dabei`,
  String.raw`(?:attach|enclos)\p{L}*`,
];

/** The words of an order that ask for an attachment. That it names a document is no such request. */
export const attachmentRequest = new RegExp(String.raw`(?<!\p{L})(?:${asks.join('|')})`, 'iu');
