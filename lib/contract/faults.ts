/**
 * What can be wrong with a value of a request, by stable code: the sentence without its subject, with the names of its
 * params in braces. The German and English texts for pages are in console/texts/problem-texts.ts.
 */
const sentences = {
  required: 'is missing',
  wrong_type: 'must be of type {expected}',
  unknown_field: 'is not a known name',
  repeated: 'is given more than once',
  empty: 'must not be empty',
  too_long: 'must not be longer than {max} characters',
  too_many: 'must not have more than {max} items',
  too_few: 'must have at least {min} items',
  too_small: 'must be at least {min}',
  too_large: 'must be at most {max}',
  out_of_range: 'must be a whole number from {min} to {max}',
  unknown_folder: 'must be one of {allowed}',
  unknown_value: 'must be one of {allowed}',
  invalid: 'is not valid',
  control_characters: 'must not contain control characters or line separators',
  not_uuid: 'must be a UUID',
  not_library_id: 'must be an id of the library: at most 300 of A-Z a-z 0-9 ! _ . -',
  not_project_id: 'must be 1 to 100 of A-Z a-z 0-9 . _ -',
  not_project_number: 'must be 1 to 40 of A-Z a-z 0-9 . _ -',
  not_email: 'must be an email address',
  not_language: 'must be the BCP 47 tag of a language, such as de or en-GB',
  not_server_name: 'must be a server name without a share',
  not_date_time: 'must be a date and time with its zone, such as 2026-11-20T09:00:00Z',
  no_word: 'must contain a letter or a digit',
  foreign_cursor: 'must be a nextCursor of the same query',
  document_only: 'is for Document only',
  email_only: 'is for Email only',
  needs_store: 'needs a letter that is stored',
  needs_project: 'needs projectId',
  name_or_company_required: 'must have a lastName or a company',
  id_or_external_id_required: 'must have an id or an externalId',
  same_record: 'is the same record as items.{index}',
  key_reused: 'was used for another request',
  not_reached: 'was not reached in the time of this call; send it again',
  not_confirmed:
    'may have been written, which the storage has not confirmed; send it again with the same key',
  external_id_alone: 'must not be combined with search, isArchived or sort',
  sort_of_list: 'is the order of the list and cannot be combined with search',
  needs_process_and_poll: 'must have both process and poll, or neither',
  nothing_claimable: 'must name a server or set relative, because nothing could be claimed',
  unknown_template: 'must be a name of GET /api/v1/activities/templates',
  setting_fault: 'has a fault',
  template_fault: 'has a fault in the part {part}',

  not_json: 'must be JSON',
  not_utf8: 'must be UTF-8',
  too_many_bytes: 'must not be longer than {max} bytes',
  wrong_length: 'must state the length of the body',
  malformed_form: 'must be a complete multipart form',
  transfer_encoding: 'must not have the Content-Transfer-Encoding {encoding}: send its bytes as they are',
  unreadable_disposition: 'has a part whose Content-Disposition cannot be read',
  no_file_name: 'must have a filename in the Content-Disposition of its part',

  // Names of files.
  bidirectional_characters: 'must not contain bidirectional control characters',
  half_character: 'must not contain half of a surrogate pair',
  forbidden_characters: 'must not contain any of {characters}',
  space_around: 'must not start or end with a space',
  dot_at_end: 'must not end with a dot',
  device_name: 'must not be a device name such as CON, PRN, AUX, NUL, COM1 or LPT1',
  reserved_name: 'must not be or contain {name}',
  reserved_start: 'must not start with {start}',

  // Paths of folders. {part} is `folder` or `share`.
  path_too_long: 'is {length} characters long, at most {max} are allowed',
  path_marks: 'has more than {max} combining marks in a row',
  path_device:
    'starts with the device prefix "{prefix}": expected \\\\server\\share\\folder or folder\\folder',
  path_drive: 'starts with the drive letter "{drive}": expected \\\\server\\share\\folder or folder\\folder',
  path_single_backslash:
    'starts with a single backslash: a UNC path starts with two, a relative path with a folder name',
  path_no_server: 'names no server after the two backslashes',
  path_server:
    'server "{server}" is not a host name (letters, digits, "-", "_" and single dots between them)',
  path_no_share: 'names the server "{server}" but no share',
  path_no_folder: 'names no folder below the share "{share}"',
  path_administrative_share: 'share "{share}" is an administrative share',
  path_empty_name: 'has an empty {part} name (two separators in a row, or one at the end)',
  path_dots: '{part} "{name}" would point at another folder',
  path_name_too_long: '{part} "{name}" is {length} characters long, at most {max} are allowed',
  path_characters: '{part} "{name}" contains {characters}',
  path_control_characters: '{part} "{name}" contains the control character {characters}',
  path_invisible_characters: '{part} "{name}" contains the invisible character {characters}',
  path_half_character: '{part} "{name}" contains an unpaired surrogate',
  path_space_at_end: '{part} "{name}" ends in a space',
  path_dot_at_end: '{part} "{name}" ends in a dot',
  path_device_name: '{part} "{name}" is the reserved device name {device}',
} as const satisfies Readonly<Record<string, string>>;

export type FaultCode = keyof typeof sentences;
export const faultCodes = Object.keys(sentences) as readonly FaultCode[];
export const isFaultCode = (text: string | undefined): text is FaultCode =>
  text !== undefined && Object.hasOwn(sentences, text);

export type FaultParams = Readonly<Record<string, string | number>>;

/** Why a value is rejected; without the place of the value. */
export interface Reason {
  readonly code: FaultCode;
  readonly params: FaultParams;
  /** For developers: a sentence without its subject. */
  readonly message: string;
}

export function reason(code: FaultCode, params: FaultParams = {}): Reason {
  const message = sentences[code].replaceAll(/\{(\w+)\}/g, (name, key: string) =>
    String(params[key] ?? name),
  );
  return { code, params, message };
}

/** For the message of a rule of a schema: the edge turns the code into a fault (lib/http/request-faults.ts). */
export const because = (code: FaultCode): FaultCode => code;
