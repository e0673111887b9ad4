import { canonicalAddress } from './mail-address.js';

/**
 * The canonical form of an app user's address: trimmed, in lower case, its domain in ASCII. `A+x@Ex.org` and
 * `a+x@ex.org` are one address, `a@ex.org` is another. Undefined for anything that is not one address.
 */
export const userEmail = (text: string): string | undefined => canonicalAddress(text.trim())?.toLowerCase();
