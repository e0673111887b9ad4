import type { DomainEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { Undo } from '../../kernel/record/undo.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import type { WantedName } from '../commands/reservation-requests.js';
import type { Call } from '../operation/call.js';
import type { Reads } from '../scopes/reads.js';
import type { Proposal } from './pending-changes.js';

/** What an asked-for change comes to: what happens at once, and what waits for a person. */
export interface Outcome<Event extends DomainEvent, CardKind extends string = string> {
  readonly events: readonly Event[];
  readonly proposal?: Omit<Proposal, 'target' | 'base' | 'kind'> & { readonly kind: CardKind };
}

/** An approved change, on its way to what it changes. */
export type ApprovedChange = Pick<Proposal, 'kind' | 'base' | 'input'> & { readonly targetId: string };

/** What a card holds of the change that it asks for. */
export type AskedCard = Pick<Proposal, 'kind' | 'input' | 'changes'>;

/** A call of an operation that asks for a change. */
export interface AskingCall {
  readonly operation: string;
  readonly input: object;
}

export interface GatedDocument extends Document {
  /** What was taken away last, while nothing else was stored since. Left out: nothing is ever given back. */
  readonly undo?: Undo | null;
}

/** What an approved change does to the record as it is by then. */
export interface Application<Doc, Event extends DomainEvent> {
  /** The texts of the record that the decision needs. */
  readonly reads?: (record: Doc) => readonly Text[];
  decide(record: Doc, read: ReadText): readonly Event[];
  readonly reserves?: readonly WantedName[];
}

/** A kind of record whose riskier changes wait for a person: everything in which it differs from the other such kinds. */
export interface GatedKind<Doc extends GatedDocument, Event extends DomainEvent> {
  /** Its category is the target kind of its cards and notices. */
  readonly aggregate: RecordAggregate<Doc, Event>;
  /** The record of a card's target. Left out: the target is the record. */
  recordId?(input: JsonObject): string;
  /** The read model of its records. */
  readonly collection: string;
  /** In sentences: "the function has changed since". */
  readonly noun: string;
  /** The record as answers show it. */
  shown(record: Doc, read: ReadText): object;
  /** What a card's paths name in the record as it is now. Left out: parts of the record as it is shown. */
  named?(record: Doc, input: JsonObject): object;
  /** Digest of what a card of this kind stands on. */
  baseOf(record: Doc, cardKind: string, input: JsonObject): string;
  /** The base as cards recorded by earlier versions have it. Left out: it has not changed since. */
  formerBaseOf?(record: Doc, cardKind: string, input: JsonObject): string;
  /** The call of an own operation that asks for the card's change again, of the record as it is now. */
  askingOf(record: Doc, card: AskedCard): AskingCall;
  /** Refuses a card that could not be applied as things are. Left out: there is nothing to check. @throws Refusal */
  checkCard?(reads: Reads, record: Doc, input: JsonObject): Promise<void>;
  /**
   * Looks up what an approved change needs; the call makes the same ids each time. What the record is by the time of the
   * decision, only the decision is told.
   */
  application(call: Call, change: ApprovedChange, reads: Reads, record: Doc): Promise<Application<Doc, Event>>;
  /** Left out: nothing of it is given back. */
  undone?(undo: string): Event;
}
