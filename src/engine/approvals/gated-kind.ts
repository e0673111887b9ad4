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

/** What a requested change comes to: the events to record at once, and the part that waits for a person. */
export interface Outcome<Event extends DomainEvent, CardKind extends string = string> {
  readonly events: readonly Event[];
  readonly proposal?: Omit<Proposal, 'target' | 'base' | 'kind'> & { readonly kind: CardKind };
}

export type ApprovedChange = Pick<Proposal, 'kind' | 'base' | 'input'> & { readonly targetId: string };

export type CardRequest = Pick<Proposal, 'kind' | 'input' | 'changes'>;

/** A call of an operation that requests a change. */
export interface AskingCall {
  readonly operation: string;
  readonly input: object;
}

export interface GatedDocument extends Document {
  /** The last deletion, until something else is stored. Left out: this kind has no undo. */
  readonly undo?: Undo | null;
}

/** What an approved change does to the record in its current state. */
export interface Application<Doc, Event extends DomainEvent> {
  /** The texts of the record that the decision needs. */
  readonly reads?: (record: Doc) => readonly Text[];
  decide(record: Doc, read: ReadText): readonly Event[];
  readonly reserves?: readonly RequestedName[];
}

/** A kind of record whose risky changes wait for approval: everything in which it differs from other such kinds. */
export interface GatedKind<Doc extends GatedDocument, Event extends DomainEvent> {
  /** Its category is the target kind of its cards and undo notices. */
  readonly aggregate: RecordAggregate<Doc, Event>;
  /** The record of a card's target. Left out: the target is the record. */
  recordId?(input: JsonObject): string;
  readonly collection: string;
  /** As used in sentences: "the function has changed since". */
  readonly noun: string;
  shown(record: Doc, read: ReadText): object;
  /** The values that a card's paths refer to, in the current record. Left out: parts of the record as shown. */
  named?(record: Doc, input: JsonObject): object;
  /** Digest of the state that a card of this kind was made for. */
  baseOf(record: Doc, cardKind: string, input: JsonObject): string;
  /** The digest as earlier versions computed it. Left out: the computation has not changed. */
  formerBaseOf?(record: Doc, cardKind: string, input: JsonObject): string;
  /** The operation call that requests the card's change again, based on the current record. */
  askingOf(record: Doc, card: CardRequest): AskingCall;
  /** Refuses a card that could not be applied to the current state. Left out: nothing to check. @throws Refusal */
  checkCard?(reads: Reads, record: Doc, input: JsonObject): Promise<void>;
  /**
   * Looks up what an approved change needs. Ids derived from the call are the same each time. Only the decision sees
   * the record's state at the time of the append.
   */
  application(
    call: OperationContext,
    change: ApprovedChange,
    reads: Reads,
    record: Doc,
  ): Promise<Application<Doc, Event>>;
  /** Left out: nothing of this kind can be undone. */
  undone?(undo: string): Event;
}
