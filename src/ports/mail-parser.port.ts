export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** What somebody sent, decoded: data of an unknown hand. HTML is given as it was sent and must never be shown as it is. */
export interface ParsedMail {
  readonly messageId: string | null;
  readonly from: MailAddress | null;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly subject: string;
  /** At most a million characters each; `truncated` tells that there was more. */
  readonly text: string | null;
  readonly html: string | null;
  readonly truncated: boolean;
  /** By their names in lower case, without folds; those that come several times in their order. Not decoded. */
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  /** Bytes, decoded. */
  readonly size: number;
}

/** It cannot be parsed within the limits; the message is one sentence for whoever set the mailhook up. */
export class MailUnparsable extends Error {}

export interface MailToParse {
  /** Whose it is: no workspace keeps the others waiting. */
  readonly workspaceId: string;
  readonly raw: Uint8Array;
}

/**
 * Parses what anybody may have sent, outside of the service's own process, within limits of time and memory: whatever
 * is in a mail, it can at worst not be parsed.
 */
export abstract class MailParser {
  /** @throws MailUnparsable; Error when it could not be tried */
  abstract parse(mail: MailToParse): Promise<ParsedMail>;

  /** The content of the attachment at this place; undefined when there is none. @throws as `parse` */
  abstract attachment(mail: MailToParse, index: number): Promise<Uint8Array | undefined>;

  abstract close(): Promise<void>;
}
