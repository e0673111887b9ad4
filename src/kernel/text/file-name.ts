const forbidden = /[\\<>:"|?*\p{Cc}]/u;
/** Windows treats these names as devices, with or without an extension. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;
/**
 * Names that file systems may treat as `.git`: with capital letters, as a short name of Windows (`git~1`), or with
 * characters that some file systems ignore.
 */
const gitFolder = /^(?:\.git|git~[0-9]+)[ .]*$/i;
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Returns why a name is not valid on every system, or undefined if it is. */
export function wrongFileName(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'is not a file name';
  if (Buffer.byteLength(name) > 255) return 'has a name of more than 255 bytes';
  if (gitFolder.test(name.replace(ignorable, ''))) return 'has a name that git reserves';
  if (name.includes('/') || forbidden.test(name)) return 'has a character in its name that some systems do not allow';
  if (/[. ]$/.test(name)) return 'has a name that ends in a dot or a space';
  return device.test(name) ? 'has a name that is reserved for a device on some systems' : undefined;
}

/**
 * Returns the same text for names that some systems treat as equal, because they differ only in case or in how a
 * character is composed.
 */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');
