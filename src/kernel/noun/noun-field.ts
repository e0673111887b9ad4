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

/** Descriptions of a field in the API documents. `sent` applies to the inputs of both create and update. */
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
  /** Specification of a key in operations on an existing record. Default: as in create. */
  readonly naming?: FieldSpec;
  /** Converts a sent value to its recorded form. @throws Refusal invalid-input */
  readonly toStored?: (value: never, path: string) => unknown;
  readonly isNullable: boolean;
  /** Value if none was sent, and in records from events that lack it. */
  readonly initial?: unknown;
  /** Whether the API documents state the default. */
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
 * A field of a noun, declared once: its validation, its form in responses, and its presence in events, records and
 * inputs. Each method returns a copy of the field with the described property.
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

  /**
   * The field identifies the record. It is in every event and required by every operation, but is in responses only
   * with `answered()`.
   */
  key(): NounField<Value, Traits | 'key' | 'fixed'> {
    return this.with({}, 'key', 'fixed');
  }

  /**
   * The field is the record's owner. It is sent in create, is in the events that create and delete the record, and is
   * not in responses.
   */
  owner(): NounField<Value, Traits | 'owner' | 'fixed' | 'internal'> {
    return this.with({}, 'owner', 'fixed', 'internal');
  }

  /** For a key: the field is in responses too. */
  answered(): NounField<Value, Traits | 'answered'> {
    return this.with({}, 'answered');
  }

  /** The field is null if no value was sent. Callers cannot send null. */
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

  /** Sets the value that the field gets if none is sent. The API documents state it. */
  default(initial: Value & (string | number | boolean | readonly never[])): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial, isDocumented: true }, 'defaulted');
  }

  /** Like `default`, but the API documents do not state the value. */
  initially(initial: Value): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial }, 'defaulted');
  }

  /** Callers send the field in create. Update does not accept it. */
  fixed(): NounField<Value, Traits | 'fixed'> {
    return this.with({}, 'fixed');
  }

  /** The field begins with its default. Update accepts it; create does not. */
  setLater(): NounField<Value, Traits | 'set later'> {
    return this.with({}, 'set later');
  }

  /** The field is in events and records, but in no response. */
  internal(): NounField<Value, Traits | 'internal'> {
    return this.with({}, 'internal');
  }

  /** The field is in events and responses, but only the service sets it; callers cannot send it. */
  unsent(): NounField<Value, Traits | 'unsent'> {
    return this.with({}, 'unsent');
  }

  /** The field is in the record but in no event. It begins with this value, and the noun's `folds` change it. */
  folded(initial: Value): NounField<Value, Traits | 'folded' | 'unsent' | 'defaulted'> {
    return this.with({ initial }, 'folded', 'unsent', 'defaulted');
  }

  /**
   * The field is a caller's remark on a change. It is in every event of the noun, null if no remark was made, and is
   * not in the record.
   */
  remark(): NounField<Value | null, Traits | 'remark' | 'unsent' | 'internal' | 'defaulted'> {
    return this.with({ isNullable: true, initial: null }, 'remark', 'unsent', 'internal', 'defaulted');
  }

  /** The field was added in this version of the read model. Events recorded earlier lack it. */
  since(...[version]: Since<Traits>): NounField<Value, Traits | 'later'> {
    return this.with({ since: Number(version) }, 'later');
  }

  /** The field is never shown, not even in the audit. Used for names of vault entries and for digests. */
  inner(): NounField<Value, Traits | 'internal'> {
    return this.with({ isInner: true }, 'internal');
  }

  /** The field may be a large text, which is recorded by its digest. */
  text(): NounField<Value, Traits> {
    return this.with({ isText: true });
  }

  /** The field is sealed with a key of the record. Once the key is destroyed, `erased` is shown instead. */
  personal(erased: string | null): NounField<Value, Traits> {
    return this.with({ erased });
  }

  describe(description: string | Descriptions): NounField<Value, Traits> {
    return this.with({
      descriptions: typeof description === 'string' ? { sent: description, answer: description } : description,
    });
  }

  /** Sets the specification of the field in responses. By default, it is that of requests without its limits. */
  shownAs(shown: FieldSpec): NounField<Value, Traits> {
    return this.with({ shown });
  }

  /**
   * Sets a function that converts a sent value to its recorded form. It may throw the refusal invalid-input, which
   * names the path.
   */
  storedAs(form: (value: NonNullable<Value>, path: string) => Value): NounField<Value, Traits> {
    return this.with({ toStored: form });
  }

  /** For a key: sets the specification in operations on an existing record, if it differs from that in create. */
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
