import { canonicalAddress } from './mail-address.js';

/**
 * `A+x@Ex.org` and `a+x@ex.org` are the same address, `a@ex.org` is another. Returns undefined for anything that is not
 * one address.
 */
export const userEmail = (text: string): string | undefined => canonicalAddress(text.trim())?.toLowerCase();
