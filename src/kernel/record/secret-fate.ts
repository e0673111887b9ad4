import type { DomainEvent } from '../event/event.js';

type Ids = string | readonly string[] | null | undefined;

/** What becomes of secrets, by their ids, once an event that names them is recorded. */
export interface SecretFate {
  /** The record refers to these: they are kept until they are destroyed. */
  readonly keeps?: Ids;
  /** The record refers to this one until a time, ISO 8601. */
  readonly ends?: { readonly secretId: string; readonly until: string } | undefined;
  /** Nothing refers to these any more. */
  readonly destroys?: Ids;
}

/** The secrets of a kind of record. Its events name them, and the vault holds them. */
export interface RecordSecrets<Event extends DomainEvent> {
  /** Entries of the vault are named `<entry>/<workspaceId>/<id>`. */
  readonly entry: string;
  /** Every type of event that names secrets. */
  readonly fates: {
    readonly [Type in Event['type']]?: (data: Extract<Event, { type: Type }>['data']) => SecretFate;
  };
}

/** The secrets of a kind of record, as the engine uses them. */
export interface HeldSecrets {
  readonly entry: string;
  /** Of the events that name secrets. */
  readonly types: readonly string[];
  fateIn(event: DomainEvent): Required<{ [Key in 'keeps' | 'destroys']: readonly string[] }> & Pick<SecretFate, 'ends'>;
}

export function heldSecrets<Event extends DomainEvent>({ entry, fates }: RecordSecrets<Event>): HeldSecrets {
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
