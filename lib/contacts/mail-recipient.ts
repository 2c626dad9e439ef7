import { domainToASCII } from 'node:url';
import { longestBeforeNfc } from '../contract/nfc.ts';

export const maxRecipientLength = 254;

/**
 * The address in the form a mail program can send to: trimmed, the domain in its ASCII form (punycode). `null` when
 * it is not one single plain address. Separators are rejected, not encoded: Outlook on the web splits the recipient
 * at `,` and `;` after decoding it, so an encoded comma would still be a second recipient.
 */
export function mailRecipient(address: string): string | null {
  if (address.length > longestBeforeNfc(maxRecipientLength)) return null;
  const trimmed = address.normalize('NFC').trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = asciiDomain(trimmed.slice(at + 1));
  if (domain === null || !isLocalPart(local)) return null;
  const recipient = `${local}@${domain}`;
  // RFC 5321 4.5.3.1: 64 octets before the @, 254 for the whole address.
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(recipient) > maxRecipientLength) return null;
  return recipient;
}

// RFC 5322 dot-atom; beyond ASCII (RFC 6531) letters, marks and digits, and the typographic apostrophe of O’Neil.
const localPart =
  /^[\p{L}\p{M}\p{Nd}\u2019!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{Nd}\u2019!#$%&'*+/=?^_`{|}~-]+)*$/u;

// The compatibility form is checked too: some letters (U+FE70) fold to a space or a separator in mail programs.
function isLocalPart(local: string): boolean {
  return localPart.test(local) && localPart.test(local.normalize('NFKC'));
}

const hostLabel = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

function asciiDomain(domain: string): string | null {
  // domainToASCII parses like a browser: without this check `1.2` would become the address 1.0.0.2.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return null;
  const labels = domainToASCII(domain).split('.');
  const isHost = labels.length > 1 && labels.every((label) => hostLabel.test(label));
  return isHost && !/^\d+$/.test(labels.at(-1) ?? '') ? labels.join('.') : null;
}
