/** The most that a request may carry, in bytes: 1 MB. */
export const bodyLimit = 1024 * 1024;

/** Files of one multipart delivery together. */
export const deliveredFilesLimit = 25 * 1024 * 1024;

/** A form with files: these, the fields, and room for the lines between the parts. */
export const multipartLimit = deliveredFilesLimit + 2 * bodyLimit;

export const noBody: Uint8Array = new Uint8Array();

/** Where webhooks come in. */
export const webhookPath = 'api/automations/functions/webhook/:token';

export const multipart = /^multipart\/form-data *(?:;|$)/i;

/** What a webhook may carry: only webhooks take forms with files. */
export const deliveryLimitOf = (contentType: string | undefined): number =>
  multipart.test(contentType ?? '') ? multipartLimit : bodyLimit;
