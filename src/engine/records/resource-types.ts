import type { Permission } from '../../kernel/callers/caller.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { FieldSpec, FieldSpecs } from '../../kernel/field/field.js';
import type { NounFields } from '../../kernel/noun/noun-field.js';
import type { KeysOf } from '../../kernel/noun/noun-types.js';
import type { Document } from '../../kernel/record/projection.js';
import type { Place } from '../commands/alongside.js';
import type { Provided, Tokens } from '../operation/bound-operation.js';
import type { Call } from '../operation/call.js';
import type { AnswerSpec, OperationSpec } from '../operation/operation.js';
import type { AnswerOf } from './answer-shape.js';
import type { UniqueField } from './unique-field.js';

/** What all operations of a noun have in common. */
export interface Common<
  Doc extends Document,
  Event extends DomainEvent,
  Fields extends NounFields,
  Asked extends Tokens,
  More extends object,
> extends Pick<OperationSpec, 'source' | 'group' | 'tools'> {
  readonly reads: Permission;
  readonly edits: Permission;
  /** Kinds of caller that may change it. Left out: all. */
  readonly callers?: OperationSpec['callers'];
  /** Ids are `<prefix>_…`, or follow from what names the record. */
  readonly id: string | ((keys: KeysOf<Fields>) => string);
  /** The form in which keys are kept. Left out: as sent. @throws Refusal for what can be none */
  keys?(sent: KeysOf<Fields>): KeysOf<Fields>;
  /** The parameter that names a record, where not its keys do. Left out: `id`. */
  readonly named?: string;
  /** Or a class that another slice answers as well; histories then show all fields of the record. */
  readonly answer: AnswerOf | { readonly shape: new () => object };
  readonly inject?: Asked;
  /** What answers say beside the record's fields. */
  beside?(record: Doc, call: Call, ...provided: Provided<Asked>): More | Promise<More>;
  readonly unique?: UniqueField<Doc>;
  /** Places that it comes to hold by these events, when it is made or changed. */
  places?(before: Doc | undefined, decided: readonly NoInfer<Event>[], call: Call, id: string): readonly Place[];
}

export type Own = Omit<OperationSpec, 'effect' | 'source' | 'group' | 'permission' | 'answers' | 'tools' | 'within'> &
  Partial<Pick<OperationSpec, 'permission' | 'tools' | 'source' | 'group'>>;

export type Events<Event extends DomainEvent> = readonly NoInfer<Event>[];
export type NoSpecs = Readonly<Record<never, FieldSpec>>;

/** What an operation that changes a record may say beside its decision. */
export interface Changing<Doc, Sent, Looks extends Tokens, Prepared, Extra extends FieldSpecs> {
  /** Parameters that are no fields of the noun. */
  readonly input?: Extra;
  /** In which the documents show the parameters. Left out: the noun's order, then `input`. */
  readonly order?: readonly string[];
  readonly inject?: Looks;
  /** Looks up what the decision needs. @throws Refusal */
  prepare?(sent: Sent, call: Call, ...provided: Provided<Looks>): Promise<Prepared>;
  /** Left out: the record, with what `beside` says. */
  readonly answers?: AnswerSpec;
  /** What the answer says besides. */
  answer?(after: Doc, prepared: Prepared): object;
}

export interface Looked<Prepared> {
  readonly prepared: Prepared;
  readonly provided: readonly unknown[];
}
