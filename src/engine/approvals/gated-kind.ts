import type { DomainEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { Undo } from '../../kernel/record/undo.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import type { RequestedName } from '../commands/reservation-requests.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Reads } from '../scopes/reads.js';
import type { Proposal } from './pending-changes.js';

/** Result of a requested change: the events to record at once, and the part that waits for approval. */
export interface Outcome<Event extends DomainEvent, CardKind extends string = string> {
  readonly events: readonly Event[];
  readonly proposal?: Omit<Proposal, 'target' | 'base' | 'kind'> & { readonly kind: CardKind };
}

export type ApprovedChange = Pick<Proposal, 'kind' | 'base' | 'input'> & { readonly targetId: string };

export type CardRequest = Pick<Proposal, 'kind' | 'input' | 'changes'>;

/** An operation call that requests a change. */
export interface AskingCall {
  readonly operation: string;
  readonly input: object;
}

export interface GatedDocument extends Document {
  /** How to undo the last deletion; cleared when something else is stored. Omitted for kinds without undo. */
  readonly undo?: Undo | null;
}

/** Decides how an approved change applies to the record in its current state. */
export interface Application<Doc, Event extends DomainEvent> {
  /** Returns the texts of the record that the decision needs. */
  readonly reads?: (record: Doc) => readonly Text[];
  decide(record: Doc, read: ReadText): readonly Event[];
  readonly reserves?: readonly RequestedName[];
}

/**
 * A kind of record whose risky changes wait for approval. Declares everything in which the kind differs from others.
 */
export interface GatedKind<Doc extends GatedDocument, Event extends DomainEvent> {
  /** Its category is also the target kind of the cards and undo notices. */
  readonly aggregate: RecordAggregate<Doc, Event>;
  /** Returns the id of the record that a card changes. If omitted, it is the card's target. */
  recordId?(input: JsonObject): string;
  readonly collection: string;
  /** The kind's noun in sentences, as in "the function has changed since". */
  readonly noun: string;
  shown(record: Doc, read: ReadText): object;
  /** Returns the current values that a card's paths refer to. If omitted, they are taken from the record as shown. */
  named?(record: Doc, input: JsonObject): object;
  /** Returns a digest of the state that a card of this kind is based on. */
  baseOf(record: Doc, cardKind: string, input: JsonObject): string;
  /** Returns the digest as earlier versions computed it. If omitted, the computation has not changed. */
  formerBaseOf?(record: Doc, cardKind: string, input: JsonObject): string;
  /** Returns the operation call that would request the card's change again, based on the current record. */
  askingOf(record: Doc, card: CardRequest): AskingCall;
  /**
   * Refuses a card that could not be applied to the current state. If omitted, there is nothing to check. @throws
   * Refusal
   */
  checkCard?(reads: Reads, record: Doc, input: JsonObject): Promise<void>;
  /**
   * Looks up what an approved change needs. Ids derived from the call are the same each time. Only `decide` sees the
   * record's state at the time of the append.
   */
  application(
    call: OperationContext,
    change: ApprovedChange,
    reads: Reads,
    record: Doc,
  ): Promise<Application<Doc, Event>>;
  /** Returns the event that undoes a deletion. If omitted, nothing of this kind can be undone. */
  undone?(undo: string): Event;
}
