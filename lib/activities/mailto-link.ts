/** A `mailto` link (RFC 6068). Nothing in subject and body can add a header or a recipient. */
export function mailtoLink(mail: { recipient: string; subject: string; body?: string }): string {
  const { recipient, subject, body } = mail;
  const at = recipient.lastIndexOf('@');
  const address = `${encodeField(recipient.slice(0, at))}@${recipient.slice(at + 1)}`;
  const link = `mailto:${address}?subject=${encodeField(oneLine(subject))}`;
  return body === undefined ? link : `${link}&body=${encodeField(mailLines(body))}`;
}

// encodeURIComponent keeps ! ' ( ) *: valid in a mailto link, but unsafe when a page writes the link to an attribute.
function encodeField(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

// RFC 6068 section 5: line breaks in a body are %0D%0A. In plain text, Thunderbird joins a line that ends with a space
// to the next line (docs/emails-in-mail-programs.md).
function mailLines(text: string): string {
  return text
    .replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}/gu, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\r\n');
}
