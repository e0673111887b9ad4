/** Size limit of a request body, in bytes: 1 MB. */
export const bodyLimit = 1024 * 1024;

/**
 * Size limit, in bytes, for operations that accept source code of up to 2 MB. JSON may need six bytes for a single byte
 * of code.
 */
export const largeBodyLimit = 16 * bodyLimit;

/**
 * Size limits of bodies that visitors of sites send, in bytes. `small` is enough for some short texts, `large` also for
 * custom fields or a mail, and `proxied` for 10 MB in base64.
 */
export const visitorBodies = { small: 50_000, large: 300_000, proxied: largeBodyLimit } as const;

/** Size limit of all files in one multipart body together, in bytes. */
export const deliveredFilesLimit = 25 * 1024 * 1024;

/** Size limit of a multipart body, in bytes. It leaves room for fields and boundaries in addition to the files. */
export const multipartLimit = deliveredFilesLimit + 2 * bodyLimit;

export const noBody: Uint8Array = new Uint8Array();

export const webhookPath = 'api/automations/functions/webhook/:token';

export const multipart = /^multipart\/form-data *(?:;|$)/i;

/** Returns the size limit, in bytes, of a body that is sent to a webhook. Only webhooks accept multipart forms. */
export const deliveryLimitOf = (contentType: string | undefined): number =>
  multipart.test(contentType ?? '') ? multipartLimit : bodyLimit;
