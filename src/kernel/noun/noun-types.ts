import type { DomainEvent } from '../event/event.js';
import type { Document } from '../record/projection.js';
import type { Trait } from './noun-field.js';

type ValueOf<Field> = Field extends { readonly value?: infer Value } ? Value : never;
type TraitsOf<Field> = Field extends { readonly is?: infer Traits } ? Traits : never;

type With<Fields, Some extends Trait> = {
  [Name in keyof Fields]: Extract<TraitsOf<Fields[Name]>, Some> extends never ? never : Name;
}[keyof Fields];
type Without<Fields, Some extends Trait> = Exclude<keyof Fields, With<Fields, Some>>;

type Values<Fields, Names extends keyof Fields> = { readonly [Name in Names]: ValueOf<Fields[Name]> };
type Sent<Fields, Names extends keyof Fields, Null extends Trait> = {
  readonly [Name in Names]: Null extends TraitsOf<Fields[Name]>
    ? ValueOf<Fields[Name]>
    : Exclude<ValueOf<Fields[Name]>, null>;
};

export type KeysOf<Fields> = Values<Fields, With<Fields, 'key'>>;

export type DeletedData<Fields> = Values<Fields, With<Fields, 'key' | 'owner' | 'remark'>>;

export type FieldsOf<Fields> = Values<Fields, Without<Fields, 'remark'>>;

export type RemarksOf<Fields> = Partial<Values<Fields, With<Fields, 'remark'>>>;

export type CreatedData<Fields> = Values<Fields, Without<Fields, 'folded' | 'later'>> &
  Partial<Values<Fields, Exclude<With<Fields, 'later'>, With<Fields, 'folded'>>>>;

export type ChangedData<Fields> = Values<Fields, With<Fields, 'key' | 'remark'>> &
  Partial<Values<Fields, Without<Fields, 'folded' | 'fixed' | 'remark'>>>;

/** Fields that a command provides for a new record. Omitted fields get their defaults. */
export type Beginning<Fields> = Values<Fields, Without<Fields, 'folded' | 'defaulted'>> &
  Partial<Values<Fields, Exclude<With<Fields, 'defaulted'>, With<Fields, 'folded'>>>>;

export type CreateInput<Fields> = Sent<Fields, Without<Fields, 'unsent' | 'defaulted'>, 'sent as null'> &
  Partial<Sent<Fields, Exclude<With<Fields, 'defaulted'>, With<Fields, 'unsent' | 'set later'>>, 'sent as null'>>;

export type UpdateInput<Fields> = Partial<Sent<Fields, Without<Fields, 'unsent' | 'fixed'>, 'clearable'>>;

export type RecordOf<Fields> = Document & FieldsOf<Fields> & { readonly createdAt: string };

export interface NounEventNames {
  readonly created: string;
  /** If omitted, no standard event changes fields. */
  readonly changed?: string;
  /** If omitted, no standard event deletes the record. */
  readonly deleted?: string;
}

export type NounEvents<Fields, Names extends NounEventNames> =
  | DomainEvent<Names['created'], CreatedData<Fields>>
  | (Names extends { readonly changed: infer Type extends string } ? DomainEvent<Type, ChangedData<Fields>> : never)
  | (Names extends { readonly deleted: infer Type extends string } ? DomainEvent<Type, DeletedData<Fields>> : never);
