import type { FieldSpec } from '../field/field.js';

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

export interface Descriptions {
  readonly sent?: string;
  readonly create?: string;
  readonly update?: string;
  readonly answer?: string;
}

interface Made {
  readonly traits: ReadonlySet<Trait>;
  /** Specification in responses. Default: the one for requests, without its limits. */
  readonly shown?: FieldSpec;
  /** For a key: specification in operations on an existing record. Default: as in create. */
  readonly naming?: FieldSpec;
  /** @throws Refusal invalid-input */
  readonly toStored?: (value: never, path: string) => unknown;
  readonly isNullable: boolean;
  /** Used if no value was sent, and in records from events that lack the field. */
  readonly initial?: unknown;
  readonly isDocumented: boolean;
  readonly since?: number;
  readonly isInner: boolean;
  readonly isText: boolean;
  /** Shown once the field is erased. Omitted if the field is not personal. */
  readonly erased?: string | null;
  readonly descriptions: Descriptions;
}

type Since<Traits extends Trait> = 'defaulted' extends Traits
  ? [version: number]
  : ['A field that is added later needs nullable(), initially(), default() or folded() before since().'];

/** Each method returns a copy of the field with the described property. */
export class NounField<Value = unknown, Traits extends Trait = Trait> {
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
   * Identifies the record. The field is in every event and required by every operation, but is in responses only with
   * `answered()`.
   */
  key(): NounField<Value, Traits | 'key' | 'fixed'> {
    return this.with({}, 'key', 'fixed');
  }

  /** The owner is sent in create, and is in the events that create and delete the record, but not in responses. */
  owner(): NounField<Value, Traits | 'owner' | 'fixed' | 'internal'> {
    return this.with({}, 'owner', 'fixed', 'internal');
  }

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

  /** The API documents state this value, which applies if no value is sent. */
  default(initial: Value & (string | number | boolean | readonly never[])): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial, isDocumented: true }, 'defaulted');
  }

  /** Like `default`, but the API documents do not state the value. */
  initially(initial: Value): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial }, 'defaulted');
  }

  fixed(): NounField<Value, Traits | 'fixed'> {
    return this.with({}, 'fixed');
  }

  /** Update accepts the field; create does not. */
  setLater(): NounField<Value, Traits | 'set later'> {
    return this.with({}, 'set later');
  }

  /** The field is in events and records, but in no response. */
  internal(): NounField<Value, Traits | 'internal'> {
    return this.with({}, 'internal');
  }

  /** The field is in events and responses, but only the service sets it. */
  unsent(): NounField<Value, Traits | 'unsent'> {
    return this.with({}, 'unsent');
  }

  /** The field is in the record but in no event. It begins with `initial`, and the noun's `folds` change it. */
  folded(initial: Value): NounField<Value, Traits | 'folded' | 'unsent' | 'defaulted'> {
    return this.with({ initial }, 'folded', 'unsent', 'defaulted');
  }

  /**
   * A caller's remark on a change. It is in every event of the noun, null if no remark was made, and not in the record.
   */
  remark(): NounField<Value | null, Traits | 'remark' | 'unsent' | 'internal' | 'defaulted'> {
    return this.with({ isNullable: true, initial: null }, 'remark', 'unsent', 'internal', 'defaulted');
  }

  /** Version of the read model in which the field was added. Events recorded earlier lack the field. */
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

  /** The value is sealed with a key of the record. Once the key is destroyed, `erased` is shown instead. */
  personal(erased: string | null): NounField<Value, Traits> {
    return this.with({ erased });
  }

  describe(description: string | Descriptions): NounField<Value, Traits> {
    return this.with({
      descriptions: typeof description === 'string' ? { sent: description, answer: description } : description,
    });
  }

  shownAs(shown: FieldSpec): NounField<Value, Traits> {
    return this.with({ shown });
  }

  /** `form` converts a sent value, and may throw the refusal invalid-input, which names the path. */
  storedAs(form: (value: NonNullable<Value>, path: string) => Value): NounField<Value, Traits> {
    return this.with({ toStored: form });
  }

  /** Sets the specification of a key in operations on an existing record, if it differs from that in create. */
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

export type AnyField = Pick<NounField, 'sent' | 'made' | 'value' | 'is'>;
export type NounFields = Readonly<Record<string, AnyField>>;

export const is = ({ made }: AnyField, trait: Trait): boolean => made.traits.has(trait);
