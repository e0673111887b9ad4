import type { Permission } from '../../kernel/callers/caller.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { FieldSpec, FieldSpecs } from '../../kernel/field/field.js';
import type { NounFields } from '../../kernel/noun/noun-field.js';
import type { KeysOf } from '../../kernel/noun/noun-types.js';
import type { Document } from '../../kernel/record/projection.js';
import type { ExclusiveSlot } from '../commands/related-changes.js';
import type { Provided, Tokens } from '../operation/bound-operation.js';
import type { AnswerSpec, OperationSpec } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { AnswerOf } from './answer-shape.js';
import type { UniqueField } from './unique-field.js';

export interface Common<
  Doc extends Document,
  Event extends DomainEvent,
  Fields extends NounFields,
  Asked extends Tokens,
  More extends object,
> extends Pick<OperationSpec, 'source' | 'group' | 'tools'> {
  readonly reads: Permission;
  readonly edits: Permission;
  readonly callers?: OperationSpec['callers'];
  /** Prefix of generated ids (`<prefix>_…`), or a function that derives the id from the fields that are keys. */
  readonly id: string | ((keys: KeysOf<Fields>) => string);
  /**
   * Normalises the fields that are keys. If omitted, they are stored as sent.
   * @throws Refusal for an invalid key
   */
  keys?(sent: KeysOf<Fields>): KeysOf<Fields>;
  /** Name of the parameter with the record's id, unless keys identify the record. Default: `id`. */
  readonly named?: string;
  /**
   * Form of the record in responses. A `shape` may be a class of another feature. With a `shape`, the history shows all
   * fields of the record.
   */
  readonly answer: AnswerOf | { readonly shape: new () => object };
  readonly inject?: Asked;
  beside?(record: Doc, call: OperationContext, ...provided: Provided<Asked>): More | Promise<More>;
  readonly unique?: UniqueField<Doc>;
  slots?(
    before: Doc | undefined,
    decided: readonly NoInfer<Event>[],
    call: OperationContext,
    id: string,
  ): readonly ExclusiveSlot[];
}

export type OwnSpec = Omit<
  OperationSpec,
  'effect' | 'source' | 'group' | 'permission' | 'answers' | 'tools' | 'within'
> &
  Partial<Pick<OperationSpec, 'permission' | 'tools' | 'source' | 'group'>>;

export type Events<Event extends DomainEvent> = readonly NoInfer<Event>[];
export type NoSpecs = Readonly<Record<never, FieldSpec>>;

export interface Changing<Doc, Sent, Looks extends Tokens, Prepared, Extra extends FieldSpecs> {
  readonly input?: Extra;
  /**
   * Order of the parameters in the API documents. Default: the order of the noun's fields, followed by those in
   * `input`.
   */
  readonly order?: readonly string[];
  readonly inject?: Looks;
  prepare?(sent: Sent, call: OperationContext, ...provided: Provided<Looks>): Promise<Prepared>;
  readonly answers?: AnswerSpec;
  answer?(after: Doc, prepared: Prepared): object;
}

export interface Looked<Prepared> {
  readonly prepared: Prepared;
  readonly provided: readonly unknown[];
}
