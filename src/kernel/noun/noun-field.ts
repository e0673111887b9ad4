import type { FieldSpec } from '../field/field.js';

/** Properties of a field that are part of its type. */
export type Trait =
  | 'key'
  | 'owner'
  | 'answered'
  | 'defaulted'
  | 'clearable'
  | 'sent as null'
  | 'fixed'
  | 'set later'
  | 'internal'
  | 'unsent'
  | 'folded'
  | 'remark'
  | 'later';

/** Descriptions of a field in the API documents. `sent` applies to both create and update. */
export interface Descriptions {
  readonly sent?: string;
  readonly create?: string;
  readonly update?: string;
  readonly answer?: string;
}

interface Made {
  readonly traits: ReadonlySet<Trait>;
  /** Specification of the field in responses. Default: the one for requests, without its limits. */
  readonly shown?: FieldSpec;
  /** Specification of the field where operations identify the record by it. Default: as in create. */
  readonly naming?: FieldSpec;
  /** Converts a sent value to its recorded form. @throws Refusal invalid-input */
  readonly kept?: (value: never, path: string) => unknown;
  readonly isNullable: boolean;
  /** Value if none was sent, and in records from events that lack it. */
  readonly initial?: unknown;
  /** Whether the default is part of the contract. */
  readonly isDocumented: boolean;
  readonly since?: number;
  readonly isInner: boolean;
  readonly isText: boolean;
  /** Value shown once the field is erased. Omitted if the field is not personal. */
  readonly erased?: string | null;
  readonly descriptions: Descriptions;
}

/** Turns a wrong use of `since` into a compile error with an explanation. */
type Since<Traits extends Trait> = 'defaulted' extends Traits
  ? [version: number]
  : ['A field that comes later needs nullable(), initially(), default() or folded() before since().'];

/**
 * A field of a noun, declared once: its validation, its form in responses, and its place in events, records and inputs.
 * Each method returns a field with one more property.
 */
export class NounField<Value = unknown, Traits extends Trait = Trait> {
  /** For the compiler only; never set. */
  declare readonly value?: Value;
  declare readonly is?: Traits;

  constructor(
    readonly sent: FieldSpec,
    readonly made: Made = {
      traits: new Set(),
      isNullable: false,
      isDocumented: false,
      isInner: false,
      isText: false,
      descriptions: {},
    },
  ) {}

  /** Identifies the record. In every event, required by every operation, and not in responses unless `answered()`. */
  key(): NounField<Value, Traits | 'key' | 'fixed'> {
    return this.with({}, 'key', 'fixed');
  }

  /** The record's owner. In the events that create and delete the record, sent in create, and not in responses. */
  owner(): NounField<Value, Traits | 'owner' | 'fixed' | 'internal'> {
    return this.with({}, 'owner', 'fixed', 'internal');
  }

  /** A key that is in responses too. */
  answered(): NounField<Value, Traits | 'answered'> {
    return this.with({}, 'answered');
  }

  /** Null if no value was sent. Null itself cannot be sent. */
  nullable(): NounField<Value | null, Traits | 'defaulted'> {
    return this.with({ isNullable: true, initial: null }, 'defaulted');
  }

  /** Like `nullable`, but an update may send null. */
  clearable(): NounField<Value | null, Traits | 'defaulted' | 'clearable'> {
    return this.with({ isNullable: true, initial: null }, 'defaulted', 'clearable');
  }

  /** Like `clearable`, but create may send null too. */
  orNull(): NounField<Value | null, Traits | 'defaulted' | 'clearable' | 'sent as null'> {
    return this.with({ isNullable: true, initial: null }, 'defaulted', 'clearable', 'sent as null');
  }

  /** Sets the value if none is sent, as part of the contract. */
  default(initial: Value & (string | number | boolean | readonly never[])): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial, isDocumented: true }, 'defaulted');
  }

  /** Like `default`, but not part of the contract. */
  initially(initial: Value): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial }, 'defaulted');
  }

  /** Sent in create and never changed by update. */
  fixed(): NounField<Value, Traits | 'fixed'> {
    return this.with({}, 'fixed');
  }

  /** Begins with its default. An update sets it; create does not accept it. */
  setLater(): NounField<Value, Traits | 'set later'> {
    return this.with({}, 'set later');
  }

  /** In events and records, but in no response. */
  internal(): NounField<Value, Traits | 'internal'> {
    return this.with({}, 'internal');
  }

  /** In events and responses, but set by decisions: callers cannot send it. */
  unsent(): NounField<Value, Traits | 'unsent'> {
    return this.with({}, 'unsent');
  }

  /** In no event. Begins with this value, and `folds` change it. */
  folded(initial: Value): NounField<Value, Traits | 'folded' | 'unsent' | 'defaulted'> {
    return this.with({ initial }, 'folded', 'unsent', 'defaulted');
  }

  /** A caller's remark on a change. In every event of the noun, null if none was given, and not in the record. */
  remark(): NounField<Value | null, Traits | 'remark' | 'unsent' | 'internal' | 'defaulted'> {
    return this.with({ isNullable: true, initial: null }, 'remark', 'unsent', 'internal', 'defaulted');
  }

  /** Added in this version of the read model. Events recorded earlier lack it. */
  since(...[version]: Since<Traits>): NounField<Value, Traits | 'later'> {
    return this.with({ since: Number(version) }, 'later');
  }

  /** Never shown, not even in the audit. For the name of a vault entry, or a digest. */
  inner(): NounField<Value, Traits | 'internal'> {
    return this.with({ isInner: true }, 'internal');
  }

  /** May be a large text, which is recorded by its digest. */
  text(): NounField<Value, Traits> {
    return this.with({ isText: true });
  }

  /** Sealed with a key of the record. `erased` is shown once the key is destroyed. */
  personal(erased: string | null): NounField<Value, Traits> {
    return this.with({ erased });
  }

  describe(said: string | Descriptions): NounField<Value, Traits> {
    return this.with({ descriptions: typeof said === 'string' ? { sent: said, answer: said } : said });
  }

  /** Sets the specification in responses. Default: as sent, without bounds. */
  shownAs(shown: FieldSpec): NounField<Value, Traits> {
    return this.with({ shown });
  }

  /** Converts a sent value to its recorded form. @throws Refusal invalid-input, naming the path */
  kept(form: (value: NonNullable<Value>, path: string) => Value): NounField<Value, Traits> {
    return this.with({ kept: form });
  }

  /** Sets, for a key, the specification in operations on an existing record, if it differs from create. */
  namedBy(naming: FieldSpec): NounField<Value, Traits> {
    return this.with({ naming });
  }

  private with<More extends Trait = never, Other = Value>(
    changed: Partial<Made>,
    ...more: readonly More[]
  ): NounField<Other, Traits | More> {
    return new NounField(this.sent, { ...this.made, ...changed, traits: new Set([...this.made.traits, ...more]) });
  }
}

/** A field with any value and traits. */
export type AnyField = Pick<NounField, 'sent' | 'made' | 'value' | 'is'>;
export type NounFields = Readonly<Record<string, AnyField>>;

export const is = ({ made }: AnyField, trait: Trait): boolean => made.traits.has(trait);
