export interface ParsedAddress {
  readonly name: string;
  readonly address: string;
}

/** Untrusted data. The HTML is exactly as sent and must never be shown unfiltered. */
export interface ParsedMail {
  readonly messageId: string | null;
  readonly from: ParsedAddress | null;
  readonly to: readonly ParsedAddress[];
  readonly cc: readonly ParsedAddress[];
  readonly subject: string;
  /** At most a million characters each. `truncated` is set if the mail had more. */
  readonly text: string | null;
  readonly html: string | null;
  readonly truncated: boolean;
  /** Names are in lower case. Values are unfolded but not decoded. Repeated headers retain their order. */
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  readonly attachments: readonly ParsedAttachment[];
}

export interface ParsedAttachment {
  readonly name: string;
  readonly contentType: string;
  /** In bytes, decoded. */
  readonly size: number;
}

export class MailUnparsable extends Error {}

export interface MailToParse {
  /** Requests of different workspaces take turns, so none delays another for long. */
  readonly workspaceId: string;
  readonly raw: Uint8Array;
}

/** Parses untrusted mail in a separate process with limits of time and memory. */
export abstract class MailParser {
  /** @throws MailUnparsable; Error when parsing could not be attempted */
  abstract parse(mail: MailToParse): Promise<ParsedMail>;

  /** @throws like `parse` */
  abstract attachment(mail: MailToParse, index: number): Promise<Uint8Array | undefined>;

  abstract close(): Promise<void>;
}
