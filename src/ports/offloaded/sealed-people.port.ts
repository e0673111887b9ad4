import type { Policy } from '../../kernel/condition/condition.js';
import type { EntitlementFacts } from '../../kernel/judging/facts.js';
import type { NamedField, StoredPerson } from '../../kernel/judging/person-facts.js';
import type { SealedEntry } from '../vault.port.js';

export type PersonalField = 'email' | 'name' | 'customFields';

export interface SealedPerson extends Pick<StoredPerson, 'id' | 'emailVerifiedAt' | 'createdAt'> {
  readonly roleIds: readonly string[];
  readonly entitlements: readonly EntitlementFacts[];
  /** Sealed values by field. Contains only the fields to open. */
  readonly sealed: Readonly<Partial<Record<PersonalField, unknown>>>;
  /** Key of the sealed fields, as stored in the vault. Omitted if it was destroyed or never created. */
  readonly key?: SealedEntry | undefined;
}

/** A stored condition with everything needed to evaluate it, as JSON. Sent to the threads once, not with every page. */
export interface PeopleRule {
  readonly condition: unknown;
  /** The policies that the condition refers to, directly or through other policies, by id. */
  readonly policies: Readonly<Record<string, Policy>>;
  /** Custom fields of the site. */
  readonly fields: readonly NamedField[];
}

export interface PeopleRequest {
  /** Workspaces take turns, so that none blocks another for long. */
  readonly workspaceId: string;
  /** People of one page. All of them are in memory at once. */
  readonly people: readonly SealedPerson[];
  /** Replacement for each opened field whose key is destroyed. */
  readonly erased: Readonly<Partial<Record<PersonalField, string | null>>>;
  /**
   * If omitted, everybody is let in. Must not be modified, because requests with the same object share its prepared
   * form.
   */
  readonly rule?: PeopleRule | undefined;
  /** Time of the evaluation, in milliseconds since 1970. */
  readonly now: number;
  /**
   * If set, a token is derived, as by `Vault.derive`, for each person who is let in: from this text followed by the
   * address.
   */
  readonly tokens?: string | undefined;
}

export interface JudgedPeople {
  /** Ids of the people whom the rule lets in, in the order of the request. */
  readonly ids: readonly string[];
  /** Tokens of these people, if requested. Null if the address is erased. */
  readonly tokens: readonly (string | null)[];
}

/** The people could not be judged, because the thread ended or took too long. Another attempt may succeed. */
export class PeopleNotJudged extends Error {}

/** Judges people with sealed fields in other threads. The main thread never has the opened fields. */
export abstract class SealedPeople {
  /** Returns the people whom the rule lets in. @throws PeopleNotJudged; VaultSealBroken if a key cannot be opened */
  abstract judge(request: PeopleRequest): Promise<JudgedPeople>;

  /** Rejects waiting requests. Nothing runs once the promise has resolved. */
  abstract close(): Promise<void>;
}
