// Every repetition is bounded or cannot overlap with what follows it, because a prompt injection can make a model write
// 20,000 braces.

const raw = String.raw;

/** Any of these. */
const any = (...alternatives: readonly string[]): string => `(?:${alternatives.join('|')})`;
/** Any of these, between spaces. */
const words = (list: string): string => any(...list.split(' '));
const start = raw`(?<!\p{L})`;
const end = raw`(?!\p{L})`;

// XXX, XX.XX.2027, 10:XX, XX Uhr; but "zum XX. Kongress" has a Roman numeral.
const crossed = raw`(?<![\p{L}\d.:])(?:\d{1,2}[.:])?(?:X{2,}|x{2,})(?:[.:](?:XX|xx|\d{1,4})){0,2}(?![\p{L}\d]|\.\s\p{Lu})`;

/** Gaps that the reader is expected to fill in, and tags. */
export const gaps: readonly RegExp[] = [
  /\[[^\]\n]{1,60}\]|\{{1,2}[^{}\n]{1,60}\}{1,2}|<\/?\p{L}[^>\n]{0,60}>/gu,
  new RegExp(raw`_{3,}|\.{5,}|${crossed}`, 'gu'),
  /(?<!\p{L})(?:(?:TT|DD)\.MM\.(?:JJJJ|YYYY|JJ|YY)?|JJJJ|hh:mm)(?!\p{L})/giu,
];

/** Markup that does not occur in letters. A list with "- " does, so it is allowed. */
export const markdown: readonly RegExp[] = [
  // Excludes Kolleg*innen and 3 * 4 * 5.
  /(?<![\p{L}\d*_~])([*_]{1,3}|~~)(?=[^\s*_~])[^*_~\n]{0,80}(?<=\S)\1(?![\p{L}\d*_~])/gu,
  /^[ \t]*(?:#{1,6}|\*|>) \S.*$/gm,
  /^[ \t]*\|.*\|[ \t]*$/gm,
];

const dus = words('[Dd]u [Dd]ich [Dd]ir [Dd]ein(?:e[mnrs]?)? [Ee]uch [Ee]uer [Ee]ure[mnrs]? [Gg]ib [Nn]imm');
// "ihr" also means "her" and "their".
const ofIhr = words('könnt habt hätt seid wollt müsst dürft sollt werd würd wisst möcht');

/** Informal address in German. */
export const informal: readonly RegExp[] = [
  new RegExp(start + dus + end, 'gu'),
  new RegExp(raw`${start}${ofIhr}(?:et)?\sihr${end}`, 'giu'),
];

const hereIs = raw`(?:hier|im Folgenden|nachfolgend|here)\s(?:ist|sind|finden Sie|folgt|is|are)`;
const versions = words(
  'Text Ton E-?Mail Brief Entwurf Anschreiben Schreiben Nachricht Formulierung Fassung Version draft letter email',
);
const adapts = raw`${start}(?:passe|ändere|überarbeite|formuliere|kürze) ich (?:den|das|die) [^.\n]{0,40}${versions}${end}`;
const offers = raw`${start}(?:Soll ich|Möchten Sie,? dass ich) [^.?\n]{0,40}${start}${versions}${end}[^.?\n]{0,120}\?`;
const leftOut = words('genannt angegeben weggelassen verzichtet');

/** What models say to the person who gave the order, and not to the recipient. */
export const chatter: readonly RegExp[] = [
  new RegExp(raw`${start}(?:als (?:ein )?(?:KI|(?:KI-|großes )?Sprachmodell)|as an AI)${end}`, 'giu'),
  new RegExp(raw`^(?:\p{L}{1,20}[,!.]\s)?${hereIs}\s[^\n]{0,60}${versions}[^\n]{0,60}:?$`, 'gimu'),
  new RegExp(raw`${adapts}|${offers}`, 'giu'),
  new RegExp(raw`^(?:Hinweis|Anmerkung):[^\n]{0,160}${leftOut}[^\n]{0,60}$`, 'gimu'),
];

// Greek letters that occur in units and formulas (µ, Ω, α to δ) are not among these.
const lookalike = raw`[\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορτυχ]`;

/** Letters that look like others, emoji, and digits of other scripts: unreadable to search and checks. */
export const unusualCharacters: readonly RegExp[] = [
  new RegExp(
    raw`(?<!\p{L})(?:${lookalike}{1,20}\p{Script=Latin}|\p{Script=Latin}{1,20}${lookalike})\p{L}{0,30}`,
    'gu',
  ),
  /\p{Emoji_Presentation}|(?:(?!\d)\p{Nd})+/gu,
];

// "Legen Sie … bei" asks for an attachment of the recipient's; "legen … an" encloses nothing.
const inThe = raw`${start}(?:im|als|in der|zum|in the)`;
const ours = raw`\s(?!Sie\s)[^.\n]{0,60}`;
const liesWith = raw`(?:liegt|liegen|legen?|fügen?)(?:${ours})?\sbei`;
const enclosed = '(?:(?:bei|an)gefüg|angehäng|beigeleg)te?[mnrs]?';
const hangsOn = raw`(?:fügen?|hängen?)${ours}\san`;

/** Mentions of an attachment. `Anlage` alone may be a machine. */
export const attachments: readonly RegExp[] = [
  new RegExp(start + any('anbei', enclosed, 'beiliegende?[mnrs]?', 'attached', 'enclosed') + end, 'giu'),
  new RegExp(raw`${inThe}\s(?:\p{L}{1,20}\s)?(?:Anhang|Anlagen?|Beilage|attachment)(?!\p{L}|\s\d)`, 'giu'),
  /^Anlagen?(?=:|$)/gimu,
  new RegExp(raw`${start}(?:${liesWith}|${hangsOn})(?=[.,])`, 'giu'),
];

/** A verb of two parts ends its clause: `häng den Plan an`, but `hängt an der Wand`. */
const atEnd = raw`(?=\s*(?:[.,;:!?)\n]|$|und |u\.))`;
const asks = [
  raw`anbei|anl\.|(?:attach|enclos)\p{L}*|dran(?=\s?(?:[.,;()\n]|gehäng))`,
  raw`(?:dr)?an(?:zu|ge)?h[aä]ng\p{L}*|(?:bei|an)(?:zu|ge)?füg\p{L}*|bei(?:zu|ge)?l(?:ie|e|a)g\p{L}*`,
  // `die Anlage` is a machine.
  raw`(?<!(?:die|eine[nr]?|ihrer?|unserer?|diese[rn]?) )anlagen?${end}`,
  raw`häng(?:e|en|t)?(?: \p{L}+){0,4} an${atEnd}|l(?:ieg|eg)(?:e|en|t)?(?: \p{L}+){0,4} bei${end}`,
  raw`mit(?:zu|ge)?(?:schick|send|sand)\p{L}*|(?:schick|send)(?:e|en|t|et)?(?: \p{L}+){1,4} mit${atEnd}`,
  raw`(?:schick|send)e? (?:ihm|ihr|ihnen|denen|herrn|frau|familie)${end}`,
  // Not what the recipient is to send.
  raw`(?<!(?:bitte|soll|sollen|muss)\s[^,.;\n]{0,60})(?:ver|zu|über)?(?:schicken|senden)${end}`,
  raw`\p{L}*(?:foto|bild|plan|liste|pdf|kopie|unterlage|schein)\p{Ll}{0,2} dabei`,
];

/** The words of an order that ask for an attachment. That it names a document is no such request. */
export const attachmentRequest = new RegExp(start + any(...asks), 'iu');
