import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import { CommandRunner } from '../commands/command-runner.js';
import { RecordTexts } from '../commands/record-texts.js';
import type { RequestedName } from '../commands/reservation-requests.js';
import type { OperationContext } from '../operation/operation-context.js';
import { PendingApproval } from '../operation/pending-approval.js';
import { Reads } from '../scopes/reads.js';
import type { GatedDocument, GatedKind, Outcome } from './gated-kind.js';
import { PendingChanges } from './pending-changes.js';

export interface GatedChange<Doc extends GatedDocument, Event extends DomainEvent> {
  readonly id: string;
  /**
   * Returns the events to record at once and the proposal for the rest. Must be pure, because it is called again if the
   * stream has changed before the append.
   * @throws Refusal
   */
  decide(record: Doc, read: ReadText): Outcome<Event>;
  readonly reads?: (record: Doc) => readonly (Text | undefined)[];
  /** Builds the response if the whole change was applied at once. Default: `shown` of the record's kind. */
  readonly show?: (record: Doc, read: ReadText) => object;
  readonly extra?: object;
  readonly reserves?: (record: Doc | undefined) => readonly RequestedName[];
}

/** A part of the change that needs a person's approval becomes an approval card; the rest is applied at once. */
@Injectable()
export class Gate {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly pending: PendingChanges,
    private readonly texts: RecordTexts,
  ) {}

  /** First records the part that needs no approval, because the card is based on the state after that part. */
  async change<Doc extends GatedDocument & { readonly name: string }, Event extends DomainEvent>(
    call: OperationContext,
    kind: GatedKind<Doc, Event>,
    { id, decide, reads, show = kind.shown, extra = {}, reserves }: GatedChange<Doc, Event>,
  ): Promise<object> {
    const { aggregate } = kind;
    let outcome: Outcome<Event> | undefined;
    const record = await this.runner.change(call, {
      aggregate,
      id,
      ...(reads === undefined ? {} : { reads: (found: Doc | undefined) => (found === undefined ? [] : reads(found)) }),
      decide: (found, read) => {
        outcome = decide(found ?? aggregate.missing(), read);
        return outcome.events;
      },
      ...(reserves === undefined ? {} : { reserves }),
    });
    if (record === undefined) return aggregate.missing();
    const undo = record.undo ? { undo: { id: record.undo.id, expiresAt: record.undo.expiresAt } } : {};
    const read = await this.texts.readAll(aggregate, call.workspaceId, record);
    const { proposal } = outcome ?? repeated(() => decide(record, read));
    if (proposal === undefined) return { ...show(record, read), ...undo, ...extra };
    const target = { kind: aggregate.category, id, name: record.name };
    await kind.checkCard?.(this.reads, record, proposal.input);
    const base = kind.baseOf(record, proposal.kind, proposal.input);
    const card = await this.pending.propose(call, { ...proposal, target, base });
    return new PendingApproval(card, { ...kind.shown(record, read), ...undo, ...extra });
  }
}

function repeated<Event extends DomainEvent>(decide: () => Outcome<Event>): Outcome<Event> {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return { events: [] };
    throw error;
  }
}
