import type { FieldSpec } from '../field/field.js';

/** What becomes of a field, as words of its type. */
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

/** Sentences of a field in the documents. `sent`: both when a record is made and when it is changed. */
export interface Descriptions {
  readonly sent?: string;
  readonly create?: string;
  readonly update?: string;
  readonly answer?: string;
}

interface Made {
  readonly traits: ReadonlySet<Trait>;
  /** How answers show it. Left out: as it is sent, without bounds. */
  readonly shown?: FieldSpec;
  /** How operations name the record by it. Left out: as it is sent when the record is made. */
  readonly naming?: FieldSpec;
  /** The form in which a sent value is recorded. @throws Refusal invalid-input */
  readonly kept?: (value: never, path: string) => unknown;
  readonly isNullable: boolean;
  /** Its value where nobody sent one, and in records of events that lack it. */
  readonly initial?: unknown;
  /** The default is part of the contract. */
  readonly isDocumented: boolean;
  readonly since?: number;
  readonly isInner: boolean;
  readonly isText: boolean;
  /** What is shown once it is erased. Left out: the field is not personal. */
  readonly erased?: string | null;
  readonly descriptions: Descriptions;
}

/** What stands in the place of an argument that a field must not be given. */
type Since<Traits extends Trait> = 'defaulted' extends Traits
  ? [version: number]
  : ['A field that comes later needs nullable(), initially(), default() or folded() before since().'];

/**
 * A field of a noun, declared once: how its value is judged when it is sent, how answers show it, and what it is in
 * events, records and inputs. Each method answers a field with one more thing said.
 */
export class NounField<Value = unknown, Traits extends Trait = Trait> {
  /** For the compiler alone: neither is ever set. */
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

  /** Names the record: it is in every event, required of every operation, and not answered unless `answered()`. */
  key(): NounField<Value, Traits | 'key' | 'fixed'> {
    return this.with({}, 'key', 'fixed');
  }

  /** What the record belongs to: in the events that make and end it, sent when it is made, and not answered. */
  owner(): NounField<Value, Traits | 'owner' | 'fixed' | 'internal'> {
    return this.with({}, 'owner', 'fixed', 'internal');
  }

  /** A key that answers show as well. */
  answered(): NounField<Value, Traits | 'answered'> {
    return this.with({}, 'answered');
  }

  /** Null where nobody sent a value; null itself cannot be sent. */
  nullable(): NounField<Value | null, Traits | 'defaulted'> {
    return this.with({ isNullable: true, initial: null }, 'defaulted');
  }

  /** As `nullable`, and an update may send null. */
  clearable(): NounField<Value | null, Traits | 'defaulted' | 'clearable'> {
    return this.with({ isNullable: true, initial: null }, 'defaulted', 'clearable');
  }

  /** As `clearable`, and null may be sent when the record is made. */
  orNull(): NounField<Value | null, Traits | 'defaulted' | 'clearable' | 'sent as null'> {
    return this.with({ isNullable: true, initial: null }, 'defaulted', 'clearable', 'sent as null');
  }

  /** The value where nobody sends one; part of the contract. */
  default(initial: Value & (string | number | boolean | readonly never[])): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial, isDocumented: true }, 'defaulted');
  }

  /** As `default`, without a word in the documents. */
  initially(initial: Value): NounField<Value, Traits | 'defaulted'> {
    return this.with({ initial }, 'defaulted');
  }

  /** Sent when the record is made, and never changed by its update. */
  fixed(): NounField<Value, Traits | 'fixed'> {
    return this.with({}, 'fixed');
  }

  /** It begins with its default: an update sets it, and nobody sends it when the record is made. */
  setLater(): NounField<Value, Traits | 'set later'> {
    return this.with({}, 'set later');
  }

  /** In events and records, and in no answer. */
  internal(): NounField<Value, Traits | 'internal'> {
    return this.with({}, 'internal');
  }

  /** In events and answers, but set by decisions: no caller sends it. */
  unsent(): NounField<Value, Traits | 'unsent'> {
    return this.with({}, 'unsent');
  }

  /** In no event: it begins with this value, and `folds` change it. */
  folded(initial: Value): NounField<Value, Traits | 'folded' | 'unsent' | 'defaulted'> {
    return this.with({ initial }, 'folded', 'unsent', 'defaulted');
  }

  /** What a caller says of a change: in every event of the noun, null where nothing is said, and not in the record. */
  remark(): NounField<Value | null, Traits | 'remark' | 'unsent' | 'internal' | 'defaulted'> {
    return this.with({ isNullable: true, initial: null }, 'remark', 'unsent', 'internal', 'defaulted');
  }

  /** It came with this version of the read model: events recorded before lack it. */
  since(...[version]: Since<Traits>): NounField<Value, Traits | 'later'> {
    return this.with({ since: Number(version) }, 'later');
  }

  /** Shown to nobody, also not by the audit: the name of a vault entry, a digest. */
  inner(): NounField<Value, Traits | 'internal'> {
    return this.with({ isInner: true }, 'internal');
  }

  /** May hold a large text, which is recorded by its digest. */
  text(): NounField<Value, Traits> {
    return this.with({ isText: true });
  }

  /** Sealed under a key of the record; `erased` is shown once the key is destroyed. */
  personal(erased: string | null): NounField<Value, Traits> {
    return this.with({ erased });
  }

  describe(said: string | Descriptions): NounField<Value, Traits> {
    return this.with({ descriptions: typeof said === 'string' ? { sent: said, answer: said } : said });
  }

  /** How answers show it, where that is not how it is sent without its bounds. */
  shownAs(shown: FieldSpec): NounField<Value, Traits> {
    return this.with({ shown });
  }

  /** The form in which a sent value is recorded. @throws Refusal invalid-input, at the path */
  kept(form: (value: NonNullable<Value>, path: string) => Value): NounField<Value, Traits> {
    return this.with({ kept: form });
  }

  /** Of a key: how operations on a record that is there take it, where that is not how it is made. */
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

/** Any field, whatever its value and traits are. */
export type AnyField = Pick<NounField, 'sent' | 'made' | 'value' | 'is'>;
export type NounFields = Readonly<Record<string, AnyField>>;

export const is = ({ made }: AnyField, trait: Trait): boolean => made.traits.has(trait);
