import type { DomainEvent } from '../event/event.js';

type Ids = string | readonly string[] | null | undefined;

export interface SecretFate {
  readonly keeps?: Ids;
  /** A secret to which the record refers only until `until`, in ISO 8601. */
  readonly ends?: { readonly secretId: string; readonly until: string } | undefined;
  readonly destroys?: Ids;
}

export interface RecordSecrets<Event extends DomainEvent> {
  readonly entry: string;
  readonly fates: {
    readonly [Type in Event['type']]?: (data: Extract<Event, { type: Type }>['data']) => SecretFate;
  };
}

export interface DeclaredSecrets {
  readonly entry: string;
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
