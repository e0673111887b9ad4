export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A decoded mail. It is untrusted data. HTML is exactly as sent and must never be shown unfiltered. */
export interface ParsedMail {
  readonly messageId: string | null;
  readonly from: MailAddress | null;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly subject: string;
  /** At most a million characters each; `truncated` if there was more. */
  readonly text: string | null;
  readonly html: string | null;
  readonly truncated: boolean;
  /** Names in lower case, values unfolded and not decoded; repeated headers retain their order. */
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  /** Bytes, decoded. */
  readonly size: number;
}

/** It cannot be parsed within the limits. The message is one sentence for the owner of the mailhook. */
export class MailUnparsable extends Error {}

export interface MailToParse {
  /** Workspaces take turns, so that none delays the others for long. */
  readonly workspaceId: string;
  readonly raw: Uint8Array;
}

/** Parses untrusted mail in a separate process with limits of time and memory. At worst a mail cannot be parsed. */
export abstract class MailParser {
  /** @throws MailUnparsable; Error when parsing could not be attempted */
  abstract parse(mail: MailToParse): Promise<ParsedMail>;

  /** The content of the attachment at this index; undefined if there is none. @throws as `parse` */
  abstract attachment(mail: MailToParse, index: number): Promise<Uint8Array | undefined>;

  abstract close(): Promise<void>;
}
