import { hash } from 'node:crypto';
import { canonicalJson } from '../json/canonical-json.js';
import { type ChainedEvent, type ChainPlace, digestOfText, following } from './chain.js';
import { type ChainHead, type SignedHead, type SigningKey, signHead } from './signed-head.js';

/**
 * An export consists of a header, one line per event, and the signed head after the last event. Large texts have lines
 * of their own, before the first event that refers to them. Every line is canonical JSON.
 */
export const exportFormat = 'countersign-audit-export-2';
/** The previous format, without lines of texts. */
export const formatWithoutTexts = 'countersign-audit-export-1';

export interface ExportHeader {
  readonly line: 'header';
  readonly format: typeof exportFormat | typeof formatWithoutTexts;
  readonly workspaceId: string;
  /**
   * Start of the interval in ISO 8601 UTC, or null if it begins with the first event. `to` is null if it ends with the
   * last event.
   */
  readonly from: string | null;
  readonly to: string | null;
  readonly start: ChainPlace;
  /** Ed25519 public key: 32 bytes in base64url. */
  readonly publicKey: string;
}

export interface ExportedEvent {
  readonly line: 'event';
  /** Number of the event in the chain, from 1. */
  readonly number: number;
  readonly event: ChainedEvent;
  readonly head: string;
}

export const eventLine = {
  before: '{"event":',
  after: ({ head, count }: ChainPlace) => `,"head":"${head}","line":"event","number":${count}}`,
} as const;

/** Events refer to the text by its digest, so the digest of an event covers the text. */
export interface ExportedText {
  readonly line: 'text';
  readonly digest: string;
  readonly text: string;
}

export interface ExportEnd {
  readonly line: 'end';
  /** Covers everything from the header to the last event. `header` is the header's digest. */
  readonly head: SignedHead & { readonly header: string };
}

export class ExportLines {
  private readonly header: string;

  /** @param place position before the next event: the header's start, or a later position if an export is continued */
  constructor(
    private readonly about: Omit<ExportHeader, 'line' | 'format' | 'publicKey'>,
    private readonly signing: SigningKey,
    private place: ChainPlace = about.start,
  ) {
    const { publicKey } = signing;
    this.header = canonicalJson({ line: 'header', format: exportFormat, ...about, publicKey } satisfies ExportHeader);
  }

  first(): string {
    return this.header;
  }

  text(digest: string, text: string): string {
    return canonicalJson({ line: 'text', digest, text } satisfies ExportedText);
  }

  event(text: string): string {
    this.place = following(this.place, digestOfText(text));
    return `${eventLine.before}${text}${eventLine.after(this.place)}`;
  }

  last(kinds: readonly string[], signedAt: string): string {
    const { workspaceId, start } = this.about;
    const about = {
      workspaceId,
      previous: start,
      count: this.place.count,
      head: this.place.head,
      kinds,
      signedAt,
      header: headerDigest(this.header),
    };
    const head = signHead<Omit<ChainHead, 'format' | 'publicKey'> & { header: string }>(about, this.signing);
    return canonicalJson({ line: 'end', head } satisfies ExportEnd);
  }
}

export const headerDigest = (text: string) => hash('sha256', text, 'hex');
