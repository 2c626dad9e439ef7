// The library rejects these characters in names, and `_vti_` anywhere (drive rule A3). Bidirectional controls make a
// name display differently from its characters.
const forbidden = /["*:<>?/\\|]|\p{Cc}|\p{Cs}|\p{Bidi_Control}/gu;
const longestBase = 120;
// Leaves room for a subject of 65 characters.
const longestRecipient = 40;

/** `{date}_{company or last name}_{subject}.docx`, safe as a file name on the drive and on Windows. */
export function letterName(letter: { date: string; recipient: string; subject: string }): string {
  const recipient = Array.from(letter.recipient).slice(0, longestRecipient).join('');
  const parts = [letter.date, recipient, letter.subject].map(safe).filter((part) => part !== '');
  const base = Array.from(parts.join('_').replace(/_vti_/gi, '-vti-')).slice(0, longestBase).join('');
  return `${base.replace(/[\s.-]+$/, '')}.docx`;
}

function safe(part: string): string {
  return part
    .slice(0, 2 * longestBase)
    .normalize('NFC')
    .replace(forbidden, '-')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.~-]+|[\s.-]+$/g, '');
}
