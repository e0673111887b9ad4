import type { Policy } from '../../kernel/condition/condition.js';
import type { EntitlementFacts } from '../../kernel/judging/facts.js';
import type { NamedField, StoredPerson } from '../../kernel/judging/person-facts.js';
import type { SealedEntry } from '../vault.port.js';

export type PersonalField = 'email' | 'name' | 'customFields';

export interface SealedPerson extends Pick<StoredPerson, 'id' | 'emailVerifiedAt' | 'createdAt'> {
  readonly roleIds: readonly string[];
  readonly entitlements: readonly EntitlementFacts[];
  readonly sealed: Readonly<Partial<Record<PersonalField, unknown>>>;
  readonly key?: SealedEntry | undefined;
}

/**
 * A condition with everything needed to evaluate it, as JSON. It is sent to a thread once and not with every request.
 */
export interface PeopleRule {
  readonly condition: unknown;
  readonly policies: Readonly<Record<string, Policy>>;
  readonly fields: readonly NamedField[];
}

export interface PeopleRequest {
  /** Requests of different workspaces take turns, so none blocks another for long. */
  readonly workspaceId: string;
  readonly people: readonly SealedPerson[];
  /** Values to use instead of the sealed fields of a person whose key is destroyed. */
  readonly erased: Readonly<Partial<Record<PersonalField, string | null>>>;
  /**
   * If omitted, all people are returned. Must not be modified, because requests with the same object share its prepared
   * form.
   */
  readonly rule?: PeopleRule | undefined;
  /** In milliseconds since 1970. */
  readonly now: number;
  /**
   * If set, the result has a token for each returned person, derived with `Vault.derive` from this text followed by the
   * person's email.
   */
  readonly tokens?: string | undefined;
}

export interface JudgedPeople {
  /** In the order of the request. */
  readonly ids: readonly string[];
  /** One token for each of `ids`, or null if the email is erased. Empty if `PeopleRequest.tokens` is not set. */
  readonly tokens: readonly (string | null)[];
}

/** The thread ended or took too long. Another attempt may succeed. */
export class PeopleNotJudged extends Error {}

/**
 * Opens the sealed fields of people on another thread and evaluates a rule there. The opened fields never reach the
 * main thread.
 */
export abstract class SealedPeople {
  /** @throws PeopleNotJudged; VaultSealBroken if a key cannot be opened */
  abstract judge(request: PeopleRequest): Promise<JudgedPeople>;

  abstract close(): Promise<void>;
}
