import type { DomainEvent } from '../event/event.js';

type Ids = string | readonly string[] | null | undefined;

/** Effect that recording an event has on the secrets to which the event refers. */
export interface SecretFate {
  /** Secrets to which the record refers. The vault retains them until a later event destroys them. */
  readonly keeps?: Ids;
  /** A secret to which the record refers only until this time, in ISO 8601. */
  readonly ends?: { readonly secretId: string; readonly until: string } | undefined;
  /** Secrets to which the record no longer refers. The vault destroys them. */
  readonly destroys?: Ids;
}

/** Secrets of a kind of record. Its events refer to them, and the vault stores them. */
export interface RecordSecrets<Event extends DomainEvent> {
  /** Prefix of the vault entries, which are named `<entry>/<workspaceId>/<id>`. */
  readonly entry: string;
  /** Effects of all event types that refer to secrets. */
  readonly fates: {
    readonly [Type in Event['type']]?: (data: Extract<Event, { type: Type }>['data']) => SecretFate;
  };
}

/** Secrets of any kind of record. Unlike that of `RecordSecrets`, the type does not depend on the events of the kind. */
export interface DeclaredSecrets {
  readonly entry: string;
  /** Event types that refer to secrets. */
  readonly types: readonly string[];
  fateIn(event: DomainEvent): Required<{ [Key in 'keeps' | 'destroys']: readonly string[] }> & Pick<SecretFate, 'ends'>;
}

export function declaredSecrets<Event extends DomainEvent>({ entry, fates }: RecordSecrets<Event>): DeclaredSecrets {
  const byType = fates as Readonly<Record<string, ((data: unknown) => SecretFate) | undefined>>;
  return {
    entry,
    types: Object.keys(fates),
    fateIn: ({ type, data }) => {
      const { keeps, ends, destroys } = byType[type]?.(data) ?? {};
      return { keeps: listed(keeps), ends, destroys: listed(destroys) };
    },
  };
}

const listed = (ids: Ids): readonly string[] => (typeof ids === 'string' ? [ids] : (ids ?? []));
