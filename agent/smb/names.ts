/**
 * Key under which Windows file systems take two names for the same: each UTF-16 unit mapped alone by its simple
 * uppercase, so `Ä` and `ä` are the same, `ß` and `SS` are not, and NFC and NFD spellings differ.
 */
export function nameKey(name: string): string {
  let key = '';
  for (let index = 0; index < name.length; index += 1) {
    const unit = name[index] as string;
    const upper = unit.toUpperCase();
    key += upper.length === 1 ? upper : unit;
  }
  return key;
}

const temporaryName = /^~smb-[0-9a-f]{16}\.tmp$/i;

/** Whether `publish` or `publishCopy` made this name; an old one is the leftover of a crash and may be deleted. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}
