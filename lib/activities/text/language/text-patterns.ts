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
  /(?<!\p{L})(?:Herrn?|Frau|Firma|Fa\.)\s(?:X|Y)(?![\p{L}\d])/gu,
  /\((?:bitte |hier )?(?:Datum|Name|Betrag|Uhrzeit|Ort|Anschrift|Adresse|Nummer|Telefonnummer|Ansprechpartner|Firma|Frist|date|name|amount|time|address)(?:\s(?:des|der|of the)\s\p{L}{1,30})?\)/giu,
  /\([^()\n]{0,40}(?:einfügen|einsetzen|ergänzen|eintragen|nachtragen|ausfüllen)\)|\((?:insert|add|fill in)\s[^()\n]{0,40}\)/giu,
  /(?<!\p{L})(?:am|um|vom|bis|zum|von|über|unter|Nr\.|Höhe)\s(?:\.{3}|…)(?=\s)|(?:\.{3}|…)\s(?:EUR|€|Euro|Uhr)(?!\p{L})/gu,
  // Fields of other programs, and characters that were encoded for a web page.
  /(?<![\p{L}\d$%#])([$%#])[\p{Lu}_]{3,30}\1(?![\p{L}\d])|&(?:[a-z]{2,8}|#\d{2,5});/giu,
  /(?<![\p{L}\d-])-{2,4}\.-{2,4}(?:\.-{0,4})?|(?<![\p{L}\d.])\?{2,4}\.\?{2,4}(?:\.\?{0,4})?/gu,
  /(?<!\p{L})(?:N\.\s?N\.|TBD|TBA|TODO|t\.\s?b\.\s?d\.)(?!\p{L})/giu,
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

/** What models say to the person who gave the order, and not to the recipient. */
export const chatter: readonly RegExp[] = [
  /(?<!\p{L})als\s(?:ein\s)?(?:KI|AI|künstliche Intelligenz|(?:KI-|großes )?Sprachmodell)(?!\p{L})[^\s.,]{0,20}|(?<!\p{L})as an AI(?!\p{L})/giu,
  /^(?:(?:Gerne?|Natürlich|Selbstverständlich|Klar|Sicher|Sure|Certainly|Of course)[,!.]?\s)?(?:hier|im Folgenden|nachfolgend|here)\s(?:ist|sind|findest|finden Sie|folgt|is|are)\s[^\n]{0,60}(?:Text|Mail|Brief|Entwurf|Anschreiben|Schreiben|Nachricht|Formulierung|draft|letter|email|text)[^\n]{0,60}:?$/gimu,
  /^(?:Gerne?|Natürlich|Selbstverständlich|Klar|Sure|Certainly|Of course)!/gimu,
  /(?<!\p{L})Gerne? (?:passe|ändere|überarbeite|formuliere|erstelle) ich [^.\n]{0,60}|(?:passe|ändere|überarbeite|formuliere|kürze) ich (?:den|das|die|Ihnen|es) [^.\n]{0,40}(?:Text|Schreiben|Mail|Brief|Entwurf|Ton)(?!\p{L})/giu,
  /(?<!\p{L})(?:Soll ich|Möchten Sie,? dass ich) [^.?\n]{0,40}(?<!\p{L})(?:Ton|Text|Schreiben|E-?Mail|Brief|Formulierung|Nachricht|Fassung|Version|Variante)(?!\p{L})[^.?\n]{0,40}\?/giu,
  /(?<!\p{L})(?:ich|wir) hoffen?,? (?:dass )?(?:das|dies|der Text|die E-Mail) (?:hilft|weiterhilft|Ihnen weiter|entspricht)/giu,
  /(?<!\p{L})(?:findet|erreicht) (?:Sie|dich) (?:wohl|bei bester Gesundheit|gut)(?!auf)(?:behalten)?(?!\p{L})|finds? you well/giu,
  /(?:lassen Sie (?:es )?mich|sag(?:en Sie)? mir|let me know)[^.\n]{0,40}(?:Text|(?<!Ihr(?:en?|em|es)? |neuen? )Entwurf|(?<!(?:per|by) )E-Mail|Formulierung|draft|changes|tone)(?!\p{L})/giu,
];

// Greek letters that occur in units and formulas (µ, Ω, α to δ) are not among these.
const lookalike = String.raw`[\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορτυχ]`;

/** Emoji, letters that look like others, full-width letters, and digits of other scripts: unreadable to search and checks. */
export const unusualCharacters: readonly RegExp[] = [
  new RegExp(
    String.raw`(?<!\p{L})(?:${lookalike}{1,20}\p{Script=Latin}|\p{Script=Latin}{1,20}${lookalike})\p{L}{0,30}`,
    'gu',
  ),
  /[\uff01-\uff5e]+/gu,
  /\p{Emoji_Presentation}/gu,
  /(?:(?!\d)\p{Nd})+/gu,
];

/** Mentions of an attachment. `Anlage` alone may be a machine. */
export const attachments: readonly RegExp[] = [
  /(?<!\p{L})(?:anbei|(?:bei|an)gefügte?[mnrs]?|beiliegende?[mnrs]?|angehängte?[mnrs]?|beigelegte?[mnrs]?|attached|enclosed)(?!\p{L})/giu,
  /(?<!\p{L})(?:im|als|in der|zum|in the)\s(?:\p{L}{1,20}\s)?(?:Anhang|Anlagen?|Beilage|attachment)(?!\p{L}|\s\d)/giu,
  /(?<!\p{L})(?:liegt|liegen|fügen|füge|lege|legen|hänge|hängen)\s[^.\n]{0,60}\s(?:bei|an)(?=[.,])/giu,
];

/** A document that an order to send something names. */
export const documents =
  /angebot|rechnung|pl[aä]n(?!ung)|vertr[aä]g|unterlage|protokoll|liste|foto|bild|gutachten|nachweis|zeugnis|bericht|kopie|bescheinigung|pdf|logo|formular|muster|bl[aä]tt|zeichnung|entwurf|entwürf|quittung|beleg|vollmacht|bescheid|auszug|aufstellung|übersicht|broschüre|prospekt|datei|dokument|bürgschaft|lebenslauf|antrag|anträg|mahnung|lieferschein|ergebnis|verzeichnis|voranschlag|kalkulation|skizze|tabelle|katalog|flyer|plakat|ausweis|attest|krankmeldung|zettel|bewerbung|nachtrag|statik|gutschein|scheck|zertifikat|anmeldung|einladung|agenda|tagesordnung|aufmaß|police|abrechnung|mappe|unterschrift|scan|schlüssel|karte|satzung|konzept|auswertung|bestätigung|urkunde|offer|invoice|drawing|list|photo|report|contract|document/giu;

/** An order with one of these asks for an attachment. */
export const attachmentOrdered =
  /anhang|anhäng|(?<!\p{L})anl\.|(?:foto|bild|plan|liste|pdf|kopie|unterlage)\p{Ll}{0,2} dabei|hängt? an|hängen|anlage|anbei|(?:bei|an)gefügt|beilieg|beilag|beileg|lieg(?:t|en)(?: \p{L}+){0,3} bei|(?:mit|zu|über)(?:ge)?(?:schick|send|sand)|schicken wir|senden wir|attach|enclos/iu;
