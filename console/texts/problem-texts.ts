import type { components } from '../openapi/openapi-types.ts';

type Schemas = components['schemas'];

/**
 * Names in braces are params; a part in brackets is left out if one of its params is absent. `npm run generate` writes the
 * file docs/texts.json from these texts. A code without a text does not compile.
 */
export type CodeText = readonly [german: string, english: string];
type Texts<Code extends string> = Readonly<Record<Code, CodeText>>;

export const problemTexts: Texts<Schemas['ProblemCode']> = {
  invalid_request: ['Bitte prüfen Sie Ihre Eingaben.', 'Please check your input.'],
  unknown_folder: ['Diesen Ordner gibt es in Projekten nicht.', 'Projects have no folder of this name.'],
  unauthenticated: ['Sie sind nicht angemeldet. Melden Sie sich an.', 'You are not signed in. Sign in.'],
  invalid_agent_key: ['Der Schlüssel des Agenten ist ungültig.', 'The key of the agent is invalid.'],
  interaction_required: [
    'Für diesen Schritt ist eine weitere Bestätigung nötig. Melden Sie sich erneut an.',
    'This step requires another confirmation. Sign in again.',
  ],
  sign_in_again: [
    'Ihre Anmeldung ist abgelaufen. Melden Sie sich erneut an.',
    'Your sign-in has expired. Sign in again.',
  ],
  forbidden: [
    'Dafür fehlt Ihnen die Berechtigung. Ihre Administration kann sie erteilen.',
    'You lack the permission for this. Your administrators can grant it.',
  ],
  consent_missing: [
    'Die Anwendung darf noch nicht auf diesen Teil von Microsoft 365 zugreifen. Ihre Administration muss zustimmen.',
    'The application may not access this part of Microsoft 365 yet. Your administrators have to consent.',
  ],
  library_access_denied: [
    'SharePoint verweigert den Zugriff. Prüfen Sie mit Ihrer Administration, ob Sie auf die Bibliothek und den Ordner zugreifen dürfen.',
    'SharePoint denies access. Check with your administrators whether you may access the library and the folder.',
  ],
  not_found: ['Das gibt es nicht.', 'This does not exist.'],
  project_not_found: ['Dieses Projekt gibt es nicht.', 'This project does not exist.'],
  contact_not_found: ['Diesen Kontakt gibt es nicht.', 'This contact does not exist.'],
  document_not_found: ['Dieses Dokument gibt es nicht mehr.', 'This document no longer exists.'],
  version_not_found: [
    'Die Bibliothek hat diese Version nicht mehr.',
    'The library no longer has this version.',
  ],
  document_gone: [
    'Das Dokument wurde in SharePoint gelöscht und deshalb aus der Liste entfernt.',
    'The document was deleted in SharePoint and has therefore been removed from the list.',
  ],
  upload_not_found: [
    'Diesen Upload gibt es nicht mehr. Laden Sie die Datei erneut hoch.',
    'This upload no longer exists. Upload the file again.',
  ],
  sync_not_found: ['Diesen Abgleich gibt es nicht mehr.', 'This synchronization no longer exists.'],
  folder_request_not_found: ['Diese Ordneranforderung gibt es nicht.', 'This folder request does not exist.'],
  sync_closed: [
    'Dieser Abgleich wird schon abgeschlossen. Beginnen Sie einen neuen.',
    'The end of this synchronization has begun. Begin another one.',
  ],
  too_many_missing: [
    'Der Abgleich würde {missing} Einträge entfernen. Bitte bestätigen Sie diese Zahl.',
    'The synchronization would remove {missing} records. Please confirm that number.',
  ],
  request_in_progress: [
    'Diese Anfrage wird schon bearbeitet. Warten Sie einen Augenblick.',
    'This request is already being processed. Wait a moment.',
  ],
  idempotency_key_reused: [
    'Diese Anfrage wurde schon mit anderem Inhalt gesendet. Beginnen Sie neu.',
    'This request was already sent with other contents. Start again.',
  ],
  not_processing: [
    'Die Ordneranforderung wird gerade nicht bearbeitet.',
    'The folder request is not being processed.',
  ],
  claim_lost: [
    'Ein anderer Agent bearbeitet die Ordneranforderung, oder sie ist beendet.',
    'Another agent processes the folder request, or it has ended.',
  ],
  not_failed: [
    'Nur fehlgeschlagene Ordneranforderungen können erneut eingereiht werden.',
    'Only failed folder requests can be requeued.',
  ],
  not_pending: [
    'Nur wartende Ordneranforderungen können zurückgezogen werden.',
    'Only waiting folder requests can be withdrawn.',
  ],
  file_exists: [
    'In diesem Ordner gibt es bereits eine Datei oder einen Ordner[ namens „{name}“].',
    'This folder already has a file or a folder[ named “{name}”].',
  ],
  upload_in_progress: [
    'Ein anderer Upload[ von „{name}“] läuft noch. Versuchen Sie es erneut, wenn er beendet ist.',
    'Another upload[ of “{name}”] is in progress. Try again when it has ended.',
  ],
  upload_incomplete: [
    'SharePoint hat die Datei noch nicht vollständig empfangen.',
    'SharePoint has not received the complete file yet.',
  ],
  folder_name_taken: [
    'In SharePoint hat eine Datei oder ein anderer Ordner den Namen eines Projektordners[: {name}]. Benennen Sie sie dort um.',
    'In SharePoint, a file or another folder has the name of a project folder[: {name}]. Rename it there.',
  ],
  root_folder_taken: [
    'Der Stammordner[ „{name}“] gehört bereits einem anderen Projekt. Nummer oder Name des Projekts müssen sich unterscheiden.',
    'The root folder[ “{name}”] belongs to another project. The number or name of the project has to differ.',
  ],
  file_too_large: [
    'Die Datei ist zu groß[; erlaubt sind {max} Bytes]. Große Dateien lassen sich direkt nach SharePoint hochladen.',
    'The file is too large[; {max} bytes are allowed]. Large files can be uploaded directly to SharePoint.',
  ],
  unsupported_media_type: [
    'Der Dienst kann Inhalte dieser Art nicht lesen.',
    'The service cannot read contents of this type.',
  ],
  range_not_satisfiable: [
    'Die Datei ist kürzer als der angeforderte Teil.',
    'The file is shorter than the requested part.',
  ],
  contact_has_no_email: [
    'Der Kontakt hat keine gültige E-Mail-Adresse.',
    'The contact has no valid email address.',
  ],
  document_locked: [
    'Die Datei ist gerade in einem Programm geöffnet oder ausgecheckt. Versuchen Sie es erneut, wenn sie geschlossen ist.',
    'The file is open in a program or checked out. Try again when it is closed.',
  ],
  library_locked: [
    'Die SharePoint-Website ist gesperrt, archiviert oder schreibgeschützt. Ihre Administration kann das aufheben.',
    'The SharePoint site is locked, archived, or read-only. Your administrators can change that.',
  ],
  library_rule: [
    'SharePoint nimmt die Datei wegen einer Regel der Bibliothek nicht an: einer Prüfung, einer Pflichtspalte oder eines Standardwerts. Erneut versuchen hilft nicht; wer die Bibliothek verwaltet, sieht die Regel in ihren Einstellungen.',
    'SharePoint rejects the file by a rule of the library: a validation, a required column, or a default value. Trying again does not help; whoever manages the library sees the rule in its settings.',
  ],
  rate_limited: [
    'Das waren zu viele Anfragen in kurzer Zeit. Versuchen Sie es in einer Minute erneut.',
    'There were too many requests in a short time. Try again in a minute.',
  ],
  too_many_uploads: [
    'Sie haben {max} angefangene Uploads. Setzen Sie einige fort oder verwerfen Sie sie; ohne neue Bytes laufen sie nach einer Viertelstunde ab.',
    'You have {max} unfinished uploads. Continue or discard some; without new bytes they expire after a quarter of an hour.',
  ],
  internal_error: [
    'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es erneut, oder nennen Sie Ihrer Administration die Anfrage-ID.',
    'An error occurred in the service. Try again, or give your administrators the request ID.',
  ],
  word_template_not_found: [
    'Die Word-Vorlage fehlt. Ihre Administration muss sie bereitstellen.',
    'The Word template is missing. Your administrators have to provide it.',
  ],
  word_template_invalid: [
    'Die Word-Vorlage ist fehlerhaft. Ihre Administration muss sie korrigieren.',
    'The Word template has faults. Your administrators have to correct it.',
  ],
  ai_provider_error: [
    'Das Sprachmodell hat keinen brauchbaren Text geliefert. Versuchen Sie es erneut, oder formulieren Sie den Auftrag um.',
    'The language model did not return a usable text. Try again, or rephrase the order.',
  ],
  library_error: [
    'SharePoint hat die Anfrage nicht ausgeführt. Möglicherweise sperrt der Virenschutz die Datei, oder sie wurde gleichzeitig geändert.',
    'SharePoint did not fulfill the request. Its malware protection may block the file, or it was changed at the same time.',
  ],
  identity_provider_error: [
    'Der Anmeldedienst hat unerwartet geantwortet. Versuchen Sie es später erneut.',
    'The identity provider responded unexpectedly. Try again later.',
  ],
  ai_provider_unavailable: [
    'Das Sprachmodell ist ausgelastet oder nicht erreichbar. Versuchen Sie es später erneut.',
    'The language model is busy or unreachable. Try again later.',
  ],
  library_throttled: [
    'SharePoint ist ausgelastet oder nicht erreichbar. Versuchen Sie es später erneut.',
    'SharePoint is busy or unreachable. Try again later.',
  ],
  identity_provider_unavailable: [
    'Der Anmeldedienst ist nicht erreichbar. Versuchen Sie es später erneut.',
    'The identity provider is unreachable. Try again later.',
  ],
  storage_unavailable: [
    'Der Speicher des Dienstes ist nicht erreichbar. Versuchen Sie es erneut.',
    'The storage of the service is unreachable. Try again.',
  ],
  clock_differs: [
    'Die Uhr des Dienstes weicht von der des Speichers ab.',
    'The clock of the service differs from that of the storage.',
  ],
  not_configured: [
    'Dieser Teil des Dienstes ist nicht eingerichtet. Wenden Sie sich an Ihre Administration.',
    'This part of the service is not set up. Contact your administrators.',
  ],
  library_full: [
    'Der Speicherplatz in SharePoint oder in Ihrem OneDrive ist aufgebraucht.',
    'The storage of SharePoint or of your OneDrive is used up.',
  ],
};

/** After the name of the field. */
export const faultTexts: Texts<Schemas['FaultCode']> = {
  required: ['Diese Angabe fehlt.', 'This value is missing.'],
  wrong_type: ['Der Wert hat den falschen Typ.', 'The value has the wrong type.'],
  unknown_field: ['Diese Angabe ist nicht bekannt.', 'This value is not known.'],
  repeated: ['Diese Angabe kommt mehrfach vor.', 'This value is given more than once.'],
  empty: ['Darf nicht leer sein.', 'Must not be empty.'],
  too_long: ['Höchstens {max} Zeichen.', 'At most {max} characters.'],
  too_many: ['Höchstens {max} Einträge.', 'At most {max} items.'],
  too_few: ['Mindestens {min} Einträge.', 'At least {min} items.'],
  too_small: ['Mindestens {min}.', 'At least {min}.'],
  too_large: ['Höchstens {max}.', 'At most {max}.'],
  out_of_range: ['Eine ganze Zahl von {min} bis {max}.', 'A whole number from {min} to {max}.'],
  unknown_folder: ['Möglich sind: {allowed}.', 'Possible values: {allowed}.'],
  unknown_value: ['Möglich sind: {allowed}.', 'Possible values: {allowed}.'],
  invalid: ['Der Wert ist ungültig.', 'The value is not valid.'],
  control_characters: [
    'Darf keine Steuerzeichen und Zeilenumbrüche enthalten.',
    'Must not contain control characters or line breaks.',
  ],
  not_uuid: ['Muss eine UUID sein.', 'Must be a UUID.'],
  not_library_id: ['Ist keine ID der Bibliothek.', 'Is no id of the library.'],
  not_project_id: [
    '1 bis 100 Zeichen: Buchstaben ohne Umlaute, Ziffern und . _ -',
    '1 to 100 characters: A to Z, digits and . _ -',
  ],
  not_project_number: [
    '1 bis 40 Zeichen: Buchstaben ohne Umlaute, Ziffern und . _ -',
    '1 to 40 characters: A to Z, digits and . _ -',
  ],
  not_email: ['Muss eine E-Mail-Adresse sein.', 'Must be an email address.'],
  not_language: [
    'Muss ein Sprachkürzel wie de oder en-GB sein.',
    'Must be a language tag such as de or en-GB.',
  ],
  not_date_time: [
    'Muss Datum und Uhrzeit mit Zeitzone sein, etwa 2026-11-20T09:00:00Z.',
    'Must be a date and time with its zone, such as 2026-11-20T09:00:00Z.',
  ],
  not_server_name: ['Muss ein Servername ohne Freigabe sein.', 'Must be a server name without a share.'],
  no_word: ['Muss einen Buchstaben oder eine Ziffer enthalten.', 'Must contain a letter or a digit.'],
  foreign_cursor: ['Die Liste hat sich geändert. Laden Sie sie neu.', 'The list has changed. Reload it.'],
  document_only: ['Gilt nur für Briefe.', 'Applies to letters only.'],
  email_only: ['Gilt nur für E-Mails.', 'Applies to emails only.'],
  needs_store: ['Setzt voraus, dass der Brief gespeichert wird.', 'Requires that the letter is stored.'],
  needs_project: ['Setzt ein Projekt voraus.', 'Requires a project.'],
  name_or_company_required: [
    'Geben Sie einen Nachnamen oder eine Firma an.',
    'Enter a last name or a company.',
  ],
  id_or_external_id_required: ['Braucht id oder externalId.', 'Needs an id or an externalId.'],
  same_record: ['Steht schon im Eintrag {index}.', 'Is already in item {index}.'],
  key_reused: ['Wurde für einen anderen Auftrag verwendet.', 'Was used for another request.'],
  not_reached: [
    'Kam in der Zeit dieses Aufrufs nicht mehr an die Reihe. Bitte noch einmal senden.',
    'Was not reached in the time of this call. Send it again.',
  ],
  not_confirmed: [
    'Ist vielleicht schon gespeichert; der Speicher hat es nicht bestätigt. Bitte noch einmal senden: Es entsteht nichts doppelt.',
    'May be stored already; the storage has not confirmed it. Send it again: nothing is created twice.',
  ],
  sort_of_list: ['Gilt nur ohne Suche.', 'Cannot be combined with a search.'],
  external_id_alone: ['Lässt sich nicht mit einer Suche verbinden.', 'Cannot be combined with a search.'],
  needs_process_and_poll: [
    'process und poll gehören zusammen: beide oder keines.',
    'process and poll belong together: both or neither.',
  ],
  nothing_claimable: [
    'Ohne Server und relative Pfade gibt es nichts zu tun.',
    'Without servers and relative paths, there is nothing to do.',
  ],
  unknown_template: ['Diese Vorlage gibt es nicht.', 'This template does not exist.'],
  setting_fault: ['Die Einstellung ist fehlerhaft.', 'The setting has a fault.'],
  template_fault: ['Fehler im Teil „{part}“ der Vorlage.', 'A fault in the part “{part}” of the template.'],
  not_json: ['Muss JSON sein.', 'Must be JSON.'],
  not_utf8: ['Muss UTF-8 sein.', 'Must be UTF-8.'],
  too_many_bytes: ['Höchstens {max} Bytes.', 'At most {max} bytes.'],
  wrong_length: ['Die angegebene Länge stimmt nicht.', 'The stated length is wrong.'],
  malformed_form: ['Das Formular ist unvollständig angekommen.', 'The form has arrived incomplete.'],
  transfer_encoding: [
    'Die Datei wurde kodiert gesendet ({encoding}).',
    'The file was sent in an encoding ({encoding}).',
  ],
  unreadable_disposition: [
    'Der Name eines Teils des Formulars ist nicht lesbar.',
    'The name of a part of the form cannot be read.',
  ],
  no_file_name: ['Die Datei hat keinen Namen.', 'The file has no name.'],
  bidirectional_characters: [
    'Darf keine Zeichen enthalten, die die Schreibrichtung ändern.',
    'Must not contain characters that change the direction of text.',
  ],
  half_character: ['Enthält ein unvollständiges Zeichen.', 'Contains an incomplete character.'],
  forbidden_characters: [
    'Darf keines dieser Zeichen enthalten: {characters}',
    'Must not contain any of {characters}',
  ],
  space_around: [
    'Darf nicht mit einem Leerzeichen beginnen oder enden.',
    'Must not start or end with a space.',
  ],
  dot_at_end: ['Darf nicht mit einem Punkt enden.', 'Must not end with a dot.'],
  device_name: [
    'Namen wie CON, PRN, AUX, NUL, COM1 oder LPT1 sind unter Windows reserviert.',
    'Names such as CON, PRN, AUX, NUL, COM1 or LPT1 are reserved on Windows.',
  ],
  reserved_name: ['Der Name {name} ist reserviert.', 'The name {name} is reserved.'],
  reserved_start: ['Darf nicht mit {start} beginnen.', 'Must not start with {start}.'],
  path_too_long: [
    'Der Pfad hat {length} Zeichen; erlaubt sind {max}.',
    'The path has {length} characters; {max} are allowed.',
  ],
  path_marks: ['Zu viele kombinierende Zeichen hintereinander.', 'Too many combining marks in a row.'],
  path_device: [
    'Beginnen Sie den Pfad mit \\\\Server\\Freigabe\\Ordner oder mit einem Ordner.',
    'Begin the path with \\\\server\\share\\folder or with a folder.',
  ],
  path_drive: [
    'Laufwerksbuchstaben wie {drive} kennt nur Ihr Computer. Beginnen Sie mit \\\\Server\\Freigabe\\Ordner oder mit einem Ordner.',
    'Only your computer has the drive letter {drive}. Begin with \\\\server\\share\\folder or with a folder.',
  ],
  path_single_backslash: [
    'Ein vollständiger Pfad beginnt mit zwei Schrägstrichen, ein relativer mit einem Ordner.',
    'A full path begins with two backslashes, a relative one with a folder.',
  ],
  path_no_server: [
    'Nach den Schrägstrichen fehlt der Server.',
    'The server after the backslashes is missing.',
  ],
  path_server: ['„{server}“ ist kein Servername.', '“{server}” is not a server name.'],
  path_no_share: [
    'Nach dem Server „{server}“ fehlt die Freigabe.',
    'The share after the server “{server}” is missing.',
  ],
  path_no_folder: [
    'Nach der Freigabe „{share}“ fehlt ein Ordner.',
    'A folder after the share “{share}” is missing.',
  ],
  path_administrative_share: [
    '„{share}“ ist eine administrative Freigabe.',
    '“{share}” is an administrative share.',
  ],
  path_empty_name: [
    'Ein Name fehlt: zwei Schrägstriche hintereinander oder einer am Ende.',
    'A name is missing: two backslashes in a row, or one at the end.',
  ],
  path_dots: ['„{name}“ würde auf einen anderen Ordner zeigen.', '“{name}” would point at another folder.'],
  path_name_too_long: [
    '„{name}“ hat {length} Zeichen; erlaubt sind {max}.',
    '“{name}” has {length} characters; {max} are allowed.',
  ],
  path_characters: ['„{name}“ enthält {characters}', '“{name}” contains {characters}'],
  path_control_characters: ['„{name}“ enthält Steuerzeichen.', '“{name}” contains control characters.'],
  path_invisible_characters: [
    '„{name}“ enthält unsichtbare Zeichen.',
    '“{name}” contains invisible characters.',
  ],
  path_half_character: [
    '„{name}“ enthält ein unvollständiges Zeichen.',
    '“{name}” contains an incomplete character.',
  ],
  path_space_at_end: ['„{name}“ endet mit einem Leerzeichen.', '“{name}” ends with a space.'],
  path_dot_at_end: ['„{name}“ endet mit einem Punkt.', '“{name}” ends with a dot.'],
  path_device_name: ['„{name}“ ist unter Windows reserviert.', '“{name}” is reserved on Windows.'],
};

export const failureTexts: Texts<Schemas['FailureCode']> = {
  path_not_allowed: [
    'An diesem Ort darf der Agent keinen Ordner anlegen. Fordern Sie den Ordner an einem anderen Ort an.',
    'The agent may not create a folder in this place. Request the folder in another place.',
  ],
  template_unreadable: [
    'Die Ordnervorlage ist nicht vollständig lesbar[: {path}][: {names}]. Ihre Administration muss sie prüfen.',
    'The template of folders cannot be read completely[: {path}][: {names}]. Your administrators have to check it.',
  ],
  access_denied: [
    'Dem Agenten fehlt die Schreibberechtigung[ in {path}]. Ihre Administration kann sie erteilen.',
    'The agent lacks write permission[ in {path}]. Your administrators can grant it.',
  ],
  read_only: ['Das Laufwerk ist schreibgeschützt[: {path}].', 'The disk is read-only[: {path}].'],
  disk_full: [
    'Auf dem Dateiserver ist kein Platz mehr[: {path}].',
    'The file server has no space left[: {path}].',
  ],
  share_not_found: [
    'Diese Freigabe gibt es auf dem Dateiserver nicht[: {path}].',
    'The file server has no such share[: {path}].',
  ],
  not_found: [
    'Ein Ordner des Pfads fehlt auf dem Dateiserver[: {path}].',
    'A folder of the path is missing on the file server[: {path}].',
  ],
  name_clash: [
    'Auf dem Dateiserver liegt unter einem benötigten Namen schon etwas anderes[: {path}][: {names}].',
    'The file server already has something else under a name that is needed[: {path}][: {names}].',
  ],
  name_not_allowed: [
    'Der Dateiserver erlaubt diesen Namen nicht[: {path}].',
    'The file server does not allow this name[: {path}].',
  ],
  in_use: [
    'Eine Datei ist in einem anderen Programm geöffnet[: {path}].',
    'A file is open in another program[: {path}].',
  ],
  dfs_link: [
    'Der Pfad führt auf einen Server, den der Agent nicht benutzen darf[: {path}].',
    'The path leads to a server that the agent may not use[: {path}].',
  ],
  server_rejects_logon: [
    'Der Dateiserver lässt den Agenten nicht zu.',
    'The file server does not admit the agent.',
  ],
  server_error: [
    'Der Dateiserver hat einen Fehler gemeldet[: {path}].',
    'The file server has reported an error[: {path}].',
  ],
  agent_error: ['Im Agenten ist ein Fehler aufgetreten.', 'An error occurred in the agent.'],
  lease_expired: [
    'Der Agent hat die Arbeit begonnen und sich dann {times}-mal nicht mehr gemeldet.',
    'The agent began the work and then stopped responding, {times} times.',
  ],
  other: ['Der Ordner konnte nicht angelegt werden.', 'The folder could not be created.'],
};

/**
 * Notes at the words that a warning is about, in the language of the page. The `message` of a warning is another text: a
 * sentence of its own in the language of the letter or email, which the language model reads too.
 */
export const warningTexts: Texts<Schemas['WarningCode']> = {
  placeholder_left: ['Eine Lücke zum Ausfüllen[: {excerpt}]', 'A gap to fill in[: {excerpt}]'],
  markdown: ['Formatierungszeichen[: {excerpt}]', 'Markup[: {excerpt}]'],
  informal_address: ['Der Empfänger wird geduzt[: {excerpt}]', 'The informal form of address[: {excerpt}]'],
  model_chatter: [
    'Ein Satz des Sprachmodells oder eine Floskel[: {excerpt}]',
    'A sentence of the language model or a stock phrase[: {excerpt}]',
  ],
  unusual_characters: [
    'Zeichen einer anderen Schrift[: {excerpt}]',
    'Characters of another script[: {excerpt}]',
  ],
  damaged_characters: [
    'Beschädigte Zeichen, etwa ein verlorener Umlaut[: {excerpt}]',
    'Damaged characters, such as a lost umlaut[: {excerpt}]',
  ],
  unknown_attachment: [
    'Eine Anlage, die nicht vorgegeben war[: {excerpt}]',
    'An attachment that was not provided[: {excerpt}]',
  ],
  unknown_figure: [
    'Eine Angabe, die nicht vorgegeben war[: {excerpt}]',
    'A detail that was not provided[: {excerpt}]',
  ],
  wrong_weekday: [
    'Der Wochentag passt nicht zum Datum[: {excerpt}]',
    'The weekday does not match the date[: {excerpt}]',
  ],
  unknown_name: [
    'Ein Name, der nicht vorgegeben war[: {excerpt}]',
    'A name that was not provided[: {excerpt}]',
  ],
  salutation_missing: ['Die Anrede fehlt[: {excerpt}]', 'The salutation is missing[: {excerpt}]'],
  closing_missing: ['Die Grußformel fehlt[: {excerpt}]', 'The closing formula is missing[: {excerpt}]'],
  sender_repeated: [
    'Der Name des Absenders steht einmal zu oft unter dem Text[: {excerpt}]',
    'The sender’s name appears once too often below the text[: {excerpt}]',
  ],
  paragraph_repeated: ['Ein Satz kommt zweimal vor[: {excerpt}]', 'A sentence occurs twice[: {excerpt}]'],
  name_altered: [
    'Ein Name fehlt möglicherweise oder ist falsch geschrieben[: {excerpt}]',
    'A name may be missing or misspelled[: {excerpt}]',
  ],
  wrong_language: [
    'Der Text scheint in einer anderen Sprache geschrieben zu sein[: {excerpt}]',
    'The text seems to be in another language[: {excerpt}]',
  ],
  too_long: [
    'Der Text ist für eine E-Mail zu lang[: {excerpt}]',
    'The text is too long for an email[: {excerpt}]',
  ],
  mailto_link_too_long: [
    'Programme unter Windows öffnen den langen Link möglicherweise nicht. Kopieren Sie den Text, und öffnen Sie den kurzen Link.',
    'Programs on Windows may not open the long link. Copy the text and open the short link.',
  ],
  profile_unavailable: [
    'Ihr Profil war nicht lesbar: In der Signatur fehlen Telefon, Telefax und Anschrift.',
    'Your profile could not be read: the signature lacks phone, fax and address.',
  ],
  address_missing: [
    'Der Kontakt hat keine vollständige Postanschrift; im Brief fehlt sie.',
    'The contact has no complete postal address; the letter lacks it.',
  ],
  address_too_long: [
    'Die Anschrift hat mehr als sechs Zeilen. Prüfen Sie, ob das Fenster des Umschlags sie ganz zeigt.',
    'The address has more than six lines. Check that the window of the envelope shows all of it.',
  ],
  copy_missing: [
    'Der Brief wurde nicht im Projekt abgelegt[, in {excerpt}]. Laden Sie ihn dort selbst hoch.',
    'The letter was not filed in the project[, in {excerpt}]. Upload it there yourself.',
  ],
  pdf_missing: ['Die PDF-Fassung fehlt. Erzeugen Sie sie in Word.', 'The PDF is missing. Make it in Word.'],
};

/** Of the client itself: there is no response of the service. */
export const clientTexts = {
  unreachable: [
    'Der Dienst ist nicht erreichbar. Prüfen Sie die Netzwerkverbindung und versuchen Sie es erneut; es ist nichts verloren gegangen.',
    'The service cannot be reached. Check the network connection and try again; nothing is lost.',
  ],
  wrong_setting: [
    'Eine Einstellung des Dienstes ist falsch[: {setting}]. Nur Ihre Administration kann sie korrigieren; sagen Sie es ihr.',
    'A setting of the service is wrong[: {setting}]. Only your administrators can correct it; tell them.',
  ],
  unexpected_response: [
    'Die Antwort kam nicht vom Dienst[ (HTTP {status})]. Versuchen Sie es später erneut.',
    'The response was not from the service[ (HTTP {status})]. Try again later.',
  ],
  file_changed: [
    'Die Datei wurde geändert oder gelöscht, seit sie ausgewählt wurde. Wählen Sie sie erneut aus.',
    'The file has changed or no longer exists since it was chosen. Choose it again.',
  ],
  ended: ['SharePoint hat den Upload mehrfach abgebrochen.', 'SharePoint has ended the upload repeatedly.'],
  not_sent: [
    'Die Anfrage konnte nicht gesendet werden. Melden Sie sich gegebenenfalls erneut an.',
    'The request could not be sent. Sign in again if necessary.',
  ],
  aborted: ['Der Vorgang wurde abgebrochen.', 'The operation was canceled.'],
  conflict: [
    'Das passt nicht zum jetzigen Stand. Laden Sie die Seite neu und prüfen Sie ihn.',
    'This does not fit the present state. Reload the page and check it.',
  ],
  rejected: [
    'Der Dienst hat die Anfrage abgelehnt[ (HTTP {status})].',
    'The service rejected the request[ (HTTP {status})].',
  ],
  unknown_warning: ['Bitte prüfen Sie diese Stelle[: {excerpt}]', 'Please check this[: {excerpt}]'],
  failed: [
    'Auf dieser Seite ist ein Fehler aufgetreten. Laden Sie sie neu und versuchen Sie es erneut.',
    'An error occurred on this page. Reload it and try again.',
  ],
} as const satisfies Texts<string>;

/** Why an upload waits. */
export const waitingTexts = {
  unreachable: [
    'Keine Verbindung. Der Upload wird von selbst fortgesetzt.',
    'No connection. The upload continues by itself.',
  ],
  other: [
    'Der Dienst oder SharePoint ist ausgelastet. Der Upload wird von selbst fortgesetzt.',
    'The service or SharePoint is busy. The upload continues by itself.',
  ],
} as const satisfies Texts<string>;

/** The last name of a fault's path. */
export const fieldTexts: Texts<string> = {
  targetPath: ['Zielpfad', 'Target path'],
  projectId: ['Projekt', 'Project'],
  contactId: ['Kontakt', 'Contact'],
  folderName: ['Ordner', 'Folder'],
  fileIn: ['Ordner', 'Folder'],
  fileName: ['Dateiname', 'File name'],
  file: ['Datei', 'File'],
  size: ['Größe', 'Size'],
  search: ['Suche', 'Search'],
  number: ['Nummer', 'Number'],
  name: ['Name', 'Name'],
  description: ['Auftrag', 'Order'],
  subject: ['Betreff', 'Subject'],
  content: ['Text', 'Text'],
  hint: ['Hinweis', 'Hint'],
  language: ['Sprache', 'Language'],
  template: ['Vorlage', 'Template'],
  company: ['Firma', 'Company'],
  title: ['Titel', 'Title'],
  firstName: ['Vorname', 'First name'],
  lastName: ['Nachname', 'Last name'],
  street: ['Straße', 'Street'],
  houseNumber: ['Hausnummer', 'House number'],
  zip: ['Postleitzahl', 'Postal code'],
  city: ['Ort', 'City'],
  email: ['E-Mail', 'Email'],
};
