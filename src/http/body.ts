/** The largest body of a request in bytes: 1 MB. */
export const bodyLimit = 1024 * 1024;

/** Of operations that take sources of 2 MB: JSON writes some characters in six. */
export const largeBodyLimit = 16 * bodyLimit;

/**
 * The largest bodies of a site's visitors' calls, in bytes. `large`: with custom fields, or a mail; `small`: some short
 * texts, also where JSON writes each character in six bytes; `proxied`: 10 MB in base64.
 */
export const visitorBodies = { small: 50_000, large: 300_000, proxied: largeBodyLimit } as const;

/** All files of one multipart delivery together, in bytes. */
export const deliveredFilesLimit = 25 * 1024 * 1024;

/** A form with files: the files, the fields, and room for the lines between the parts. */
export const multipartLimit = deliveredFilesLimit + 2 * bodyLimit;

export const noBody: Uint8Array = new Uint8Array();

/** The path of webhooks. */
export const webhookPath = 'api/automations/functions/webhook/:token';

export const multipart = /^multipart\/form-data *(?:;|$)/i;

/** The largest body of a webhook. Only webhooks accept forms with files. */
export const deliveryLimitOf = (contentType: string | undefined): number =>
  multipart.test(contentType ?? '') ? multipartLimit : bodyLimit;
