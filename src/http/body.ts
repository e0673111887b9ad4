/** One megabyte, in bytes. */
export const bodyLimit = 1024 * 1024;

/** Operations with this limit accept source code of up to 2 MB. JSON can need six bytes for a single byte of code. */
export const largeBodyLimit = 16 * bodyLimit;

/**
 * Limits in bytes: `small` is enough for some short texts, `large` also for custom fields or a mail, and `proxied` for
 * 10 MB in base64.
 */
export const visitorBodies = { small: 50_000, large: 300_000, proxied: largeBodyLimit } as const;

/** Limit in bytes for all files in one multipart body together. */
export const deliveredFilesLimit = 25 * 1024 * 1024;

/** Leaves room for fields and boundaries in addition to the files. */
export const multipartLimit = deliveredFilesLimit + 2 * bodyLimit;

export const noBody: Uint8Array = new Uint8Array();

export const webhookPath = 'api/automations/functions/webhook/:token';

export const multipart = /^multipart\/form-data *(?:;|$)/i;

/** Only webhooks accept multipart forms. */
export const deliveryLimitOf = (contentType: string | undefined): number =>
  multipart.test(contentType ?? '') ? multipartLimit : bodyLimit;
