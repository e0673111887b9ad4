import type { DomainEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { Undo } from '../../kernel/record/undo.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import type { AggregateLoader } from '../commands/aggregate-loader.js';
import type { RequestedName } from '../commands/reservation-requests.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Reads } from '../scopes/reads.js';
import type { Proposal } from './pending-changes.js';

export interface Outcome<Event extends DomainEvent, CardKind extends string = string> {
  readonly events: readonly Event[];
  readonly proposal?: Omit<Proposal, 'target' | 'base' | 'kind'> & { readonly kind: CardKind };
}

export type ApprovedChange = Pick<Proposal, 'kind' | 'base' | 'input'> & { readonly targetId: string };

export type CardRequest = Pick<Proposal, 'kind' | 'input' | 'changes'>;

export interface AskingCall {
  readonly operation: string;
  readonly input: object;
}

export interface GatedDocument extends Document {
  readonly undo?: Undo | null;
}

export interface Application<Doc, Event extends DomainEvent> {
  readonly reads?: (record: Doc) => readonly Text[];
  decide(record: Doc, read: ReadText): readonly Event[];
  readonly reserves?: readonly RequestedName[];
}

export interface GatedKind<Doc extends GatedDocument, Event extends DomainEvent> {
  /** Its `category` is also the target kind of cards (changes that wait for approval) and undo notices. */
  readonly aggregate: RecordAggregate<Doc, Event>;
  recordId?(input: JsonObject): string;
  readonly collection: string;
  /** Noun for error messages, as in "the function has changed since". */
  readonly noun: string;
  shown(record: Doc, read: ReadText): object;
  /** Returns the current values at the paths that a card's differences use. If omitted, `shown` provides them. */
  named?(record: Doc, input: JsonObject): object;
  /**
   * Returns a digest of the parts of the record on which the card depends. The card can be applied only while this
   * digest is unchanged.
   */
  baseOf(record: Doc, cardKind: string, input: JsonObject): string;
  /**
   * Returns the digest as earlier versions of the service computed it, so that cards from that time can still be
   * applied.
   */
  formerBaseOf?(record: Doc, cardKind: string, input: JsonObject): string;
  askingOf(record: Doc, card: CardRequest): AskingCall;
  /** @throws Refusal if the card could not be applied to the current state */
  checkCard?(reads: Reads, record: Doc, input: JsonObject): Promise<void>;
  /**
   * Prepares an approved change. `record` can be outdated when the `decide` of the returned object is called. New ids
   * must come from `call`, which returns the same ones if the change is applied again after a crash.
   */
  application(
    call: OperationContext,
    change: ApprovedChange,
    reads: Reads,
    record: Doc,
  ): Promise<Application<Doc, Event>>;
  undone?(undo: string): Event;
  /**
   * Returns why the last change cannot be undone, although the record has not changed since, or undefined if it can.
   */
  whyNotUndone?(loader: AggregateLoader, record: Doc): Promise<string | undefined>;
}
