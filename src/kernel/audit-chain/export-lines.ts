import { hash } from 'node:crypto';
import { canonicalJson } from '../json/canonical-json.js';
import { type ChainedEvent, type ChainPlace, digestOfText, following } from './chain.js';
import { type ChainHead, type SignedHead, type SigningKey, signHead } from './signed-head.js';

/**
 * An exported audit: a header, one line per event, and the signed head that they lead to. Large texts have lines of
 * their own, before the first event that refers to them. Every line is canonical JSON, so that there is only one way to
 * write it.
 */
export const exportFormat = 'countersign-audit-export-2';
/** The previous format, without lines of texts. */
export const formatWithoutTexts = 'countersign-audit-export-1';

export interface ExportHeader {
  readonly line: 'header';
  readonly format: typeof exportFormat | typeof formatWithoutTexts;
  readonly workspaceId: string;
  /** The requested interval, ISO 8601 UTC; null: from the first event, or to the last. */
  readonly from: string | null;
  readonly to: string | null;
  /** The chain before the first event. */
  readonly start: ChainPlace;
  /** Ed25519, the 32 bytes in base64url. */
  readonly publicKey: string;
}

export interface ExportedEvent {
  readonly line: 'event';
  /** Its number in the chain, from 1. */
  readonly number: number;
  readonly event: ChainedEvent;
  /** The head after it. */
  readonly head: string;
}

/** What surrounds the event in its line, which is canonical JSON like the event itself. */
export const eventLine = {
  before: '{"event":',
  after: ({ head, count }: ChainPlace) => `,"head":"${head}","line":"event","number":${count}}`,
} as const;

/** A text that events refer to by its digest. Event digests cover the reference, and so the text. */
export interface ExportedText {
  readonly line: 'text';
  readonly digest: string;
  readonly text: string;
}

export interface ExportEnd {
  readonly line: 'end';
  /** Covers everything from the header to the last event, and contains the header's digest. */
  readonly head: SignedHead & { readonly header: string };
}

export class ExportLines {
  private readonly header: string;

  /**
   * @param place the chain before the events still to come: the header's start, or later when an export is continued
   */
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

  /** @param text the event as `chainedText` writes it */
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
