/** The most that any request may carry, in bytes: 1 MB. */
export const bodyLimit = 1024 * 1024;

export const noBody: Uint8Array = new Uint8Array();
