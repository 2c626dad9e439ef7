/**
 * Family names that are ordinary words in lowercase: `lang`, `klein`, `weil`. In lowercase they count as a name only
 * where the context shows it.
 */
export const ordinaryWords: ReadonlySet<string> = new Set(
  (
    'alt an auf aus bald bar bei blank blau blum braun breit bunt da dank darm das dein den der die doll dort dunkel dünn ' +
    'edel eher ehrlich eigen eilig eng er ernst fein fest flach flink frei fremd froh fromm früh ganz gar gerade ' +
    'gern glatt gleich golden grau groß gross grün gut halb hart heil heiß hell hier hoch hohl ich ihr im in jung kahl kalt karg ' +
    'kein klar klein klug knapp krank kraus krumm kühl kühn kurz lahm lang lange laut leer leicht leise lieb locker los man mit ' +
    'mild mini müde nah nass neu nett nicht nie noch oben offen recht reich rein rot roth rund sanft satt sauer scharf schmal schnell schön ' +
    'schwarz schwer sehr sei selten sie so spät spitz stark starr steil still stolz stumpf süß tapfer tief toll treu trocken ' +
    'um und unruh unter viel voll von vor wach wahr warm wann weich weil weise weiß weiss weit wenig wenn wer wie wild will wir ' +
    'wohl zahm zart zu may'
  ).split(' '),
);
