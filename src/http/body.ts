/** Size limit of a request's body in bytes: 1 MB. */
export const bodyLimit = 1024 * 1024;

/** Size limit for operations that accept sources of 2 MB, because JSON writes some characters as six bytes. */
export const largeBodyLimit = 16 * bodyLimit;

/**
 * Size limits of site visitors' calls, in bytes. `small`: some short texts, even if JSON writes each character as six
 * bytes. `large`: with custom fields, or a mail. `proxied`: 10 MB in base64.
 */
export const visitorBodies = { small: 50_000, large: 300_000, proxied: largeBodyLimit } as const;

/** Size limit of all files together in one multipart delivery, in bytes. */
export const deliveredFilesLimit = 25 * 1024 * 1024;

/** Size limit of a form with files, in bytes: the files, the fields, and the lines between the parts. */
export const multipartLimit = deliveredFilesLimit + 2 * bodyLimit;

export const noBody: Uint8Array = new Uint8Array();

export const webhookPath = 'api/automations/functions/webhook/:token';

export const multipart = /^multipart\/form-data *(?:;|$)/i;

/** Returns the size limit of a webhook's body. Only webhooks accept forms with files. */
export const deliveryLimitOf = (contentType: string | undefined): number =>
  multipart.test(contentType ?? '') ? multipartLimit : bodyLimit;
