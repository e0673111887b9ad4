import type { DomainEvent } from '../event/event.js';

type Ids = string | readonly string[] | null | undefined;

/** What happens to secrets once an event that refers to them is recorded. */
export interface SecretFate {
  /** The record refers to these: they are retained until they are destroyed. */
  readonly keeps?: Ids;
  /** The record refers to this one until a time, ISO 8601. */
  readonly ends?: { readonly secretId: string; readonly until: string } | undefined;
  /** Nothing refers to these any more. */
  readonly destroys?: Ids;
}

/** The secrets of a kind of record. Its events refer to them; the vault stores them. */
export interface RecordSecrets<Event extends DomainEvent> {
  /** Vault entries are named `<entry>/<workspaceId>/<id>`. */
  readonly entry: string;
  /** All event types that refer to secrets. */
  readonly fates: {
    readonly [Type in Event['type']]?: (data: Extract<Event, { type: Type }>['data']) => SecretFate;
  };
}

/** The secrets of a kind of record, as the engine uses them. */
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
