// Every repetition is bounded or cannot overlap with what follows it, because a prompt injection can make a model write
// 20,000 braces. Texts in tools/evaluation/labeled-texts, which cite what real models leave behind, cover each pattern.

const raw = String.raw;

/** Any of these. */
const any = (...alternatives: readonly string[]): string => `(?:${alternatives.join('|')})`;
/** Any of these, between spaces. */
const words = (list: string): string => any(...list.split(' '));
const start = raw`(?<!\p{L})`;
const end = raw`(?!\p{L})`;
const word = (...alternatives: readonly string[]): RegExp =>
  new RegExp(start + any(...alternatives) + end, 'giu');

// XXX, XX.XX.2027, 10:XX, XX Uhr; but "zum XX. Kongress" has a Roman numeral.
const crossed = raw`(?<![\p{L}\d.:])(?:\d{1,2}[.:])?(?:X{2,}|x{2,})(?:[.:](?:XX|xx|\d{1,4})){0,2}(?![\p{L}\d]|\.\s\p{Lu})`;
const germanFields =
  'Datum|Name|Betrag|Uhrzeit|Ort|Anschrift|Adresse|Nummer|Telefonnummer|Ansprechpartner|Firma|Frist';
const englishFields = 'date|name|amount|time|address';
const ofWhat = raw`(?:\s(?:des|der|of the)\s\p{L}{1,30})?`;
const toFillIn = words('einfügen einsetzen ergänzen eintragen nachtragen ausfüllen');

/** Gaps that the reader is expected to fill in, and tags. */
export const gaps: readonly RegExp[] = [
  /\[[^\]\n]{1,60}\]|\{{1,2}[^{}\n]{1,60}\}{1,2}|<\/?\p{L}[^>\n]{0,60}>/gu,
  new RegExp(raw`_{3,}|\.{5,}|${crossed}`, 'gu'),
  /(?<!\p{L})(?:(?:TT|DD)\.MM\.(?:JJJJ|YYYY|JJ|YY)?|JJJJ|hh:mm)(?!\p{L})/giu,
  new RegExp(raw`\((?:bitte |hier )?(?:${germanFields}|${englishFields})${ofWhat}\)`, 'giu'),
  new RegExp(raw`\([^()\n]{0,40}${toFillIn}\)|\((?:insert|add|fill in)\s[^()\n]{0,40}\)`, 'giu'),
];

/** Markup that does not occur in letters. A list with "- " does, so it is allowed. */
export const markdown: readonly RegExp[] = [
  // Excludes Kolleg*innen and 3 * 4 * 5.
  /(?<![\p{L}\d*_~])([*_]{1,3}|~~)(?=[^\s*_~])[^*_~\n]{0,80}(?<=\S)\1(?![\p{L}\d*_~])/gu,
  /^[ \t]*(?:#{1,6}|\*|>) \S.*$/gm,
  /^[ \t]*\|.*\|[ \t]*$/gm,
  /`[^`\n]+`/g,
];

const dus = words('[Dd]u [Dd]ich [Dd]ir [Dd]ein(?:e[mnrs]?)? [Ee]uch [Ee]uer [Ee]ure[mnrs]? [Gg]ib [Nn]imm');
// "ihr" also means "her" and "their".
const ofIhr = words('könnt habt hätt seid wollt müsst dürft sollt werd würd wisst möcht');
const ordersFirst = words(
  'Schickt? Schau Sag Ruf Komm Mach Lass Denk Bring Meld Prüf Hol Stell Sende Schreib',
);
const ordersAfterBitte = words('schick schau sag ruf komm mach lass denk bring prüf hol stell schreib');
const ordered = words('mir uns ihn sie es bitte mal doch einfach kurz Bescheid den die das unseren daran');

/** Informal address in German. */
export const informal: readonly RegExp[] = [
  new RegExp(start + dus + end, 'gu'),
  new RegExp(raw`${start}${ofIhr}(?:et)?\sihr${end}`, 'giu'),
  new RegExp(
    raw`(?:(?:^|[.!?:]\s{1,2})${ordersFirst}|${start}[Bb]itte\s${ordersAfterBitte})\s${ordered}${end}`,
    'gmu',
  ),
];

const pleased = any(
  'Gerne?',
  'Natürlich',
  'Selbstverständlich',
  'Klar',
  'Sicher',
  'Sure',
  'Certainly',
  'Of course',
);
const hereIs = raw`(?:hier|im Folgenden|nachfolgend|here)\s(?:ist|sind|finden Sie|folgt|is|are)`;
const drafts = words(
  'Text Mail Brief Entwurf Anschreiben Schreiben Nachricht Formulierung draft letter email text',
);
const adapts = raw`${start}Gerne? (?:passe|ändere|überarbeite|formuliere|erstelle) ich [^.\n]{0,60}`;
const adaptsWhat = raw`(?:passe|ändere|überarbeite|formuliere|kürze) ich (?:den|das|die|Ihnen|es)`;
const ofText = raw`[^.\n]{0,40}(?:Text|Schreiben|Mail|Brief|Entwurf|Ton)${end}`;
const offers = raw`${start}(?:Soll ich|Möchten Sie,? dass ich) [^.?\n]{0,40}`;
const versions = words('Ton Text Schreiben E-?Mail Brief Formulierung Nachricht Fassung Version Variante');
const leftOut = words('genannt angegeben weggelassen verzichtet');
const wellness = raw`(?:Sie|dich) (?:wohl|bei bester Gesundheit|gut)(?!auf)(?:behalten)?${end}`;

/** What models say to the person who gave the order, and not to the recipient. */
export const chatter: readonly RegExp[] = [
  // What stands there instead of a letter when a model declines.
  new RegExp(
    raw`${start}als\s(?:ein\s)?(?:KI|(?:KI-|großes )?Sprachmodell)${end}[^\s.,]{0,20}|${start}as an AI${end}`,
    'giu',
  ),
  new RegExp(raw`^(?:${pleased}[,!.]?\s)?${hereIs}\s[^\n]{0,60}${drafts}[^\n]{0,60}:?$`, 'gimu'),
  new RegExp(raw`${adapts}|${adaptsWhat} ${ofText}`, 'giu'),
  new RegExp(raw`${offers}${start}${versions}${end}[^.?\n]{0,120}\?`, 'giu'),
  new RegExp(raw`^(?:Hinweis|Anmerkung):[^\n]{0,160}${leftOut}[^\n]{0,60}$`, 'gimu'),
  new RegExp(raw`${start}(?:findet|erreicht) ${wellness}|finds? you well`, 'giu'),
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

/** A verb of two parts ends its clause: `häng den Plan an`, but `hängt an der Wand`. */
const atEnd = String.raw`(?=\s*(?:[.,;:!?)\n]|$|und |u\.))`;
const asks = [
  String.raw`anh[aä]ng\p{L}*`,
  String.raw`(?:dr)?an(?:zu)?häng\p{L}*`,
  String.raw`angehäng\p{L}*`,
  String.raw`häng(?:e|en|t)?(?: \p{L}+){0,4} an${atEnd}`,
  String.raw`dran(?=\s?(?:[.,;()\n]|gehäng))`,
  String.raw`anl\.`,
  // `die Anlage` is a machine.
  String.raw`(?<!(?:die|eine[nr]?|ihrer?|unserer?|diese[rn]?) )anlagen?(?!\p{L})`,
  String.raw`anbei`,
  String.raw`(?:bei|an)(?:zu|ge)?füg\p{L}*`,
  String.raw`bei(?:zu|ge)?l[ie]g\p{L}*`,
  String.raw`l(?:ieg|eg)(?:e|en|t)?(?: \p{L}+){0,4} bei(?!\p{L})`,
  String.raw`mit(?:zu|ge)?(?:schick|send|sand)\p{L}*`,
  String.raw`(?:schick|send)(?:e|en|t|et)?(?: \p{L}+){1,4} mit${atEnd}`,
  String.raw`(?:schick|send)e? (?:ihm|ihr|ihnen|denen|herrn|frau|familie)(?!\p{L})`,
  String.raw`(?:schicken|senden) wir`,
  // Not what the recipient is to send.
  String.raw`(?<!(?:bitte|soll|sollen|muss)\s[^,.;\n]{0,60})(?:ver|zu|über)?(?:schicken|senden)(?!\p{L})`,
  String.raw`\p{L}*(?:foto|bild|plan|liste|pdf|kopie|unterlage|schein)\p{Ll}{0,2} dabei`,
  String.raw`(?:attach|enclos)\p{L}*`,
];

/** The words of an order that ask for an attachment. That it names a document is no such request. */
export const attachmentRequest = new RegExp(String.raw`(?<!\p{L})(?:${asks.join('|')})`, 'iu');
