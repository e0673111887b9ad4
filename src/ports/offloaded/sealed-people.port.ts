import type { Policy } from '../../kernel/condition/condition.js';
import type { EntitlementFacts } from '../../kernel/judging/facts.js';
import type { NamedField, StoredPerson } from '../../kernel/judging/person-facts.js';
import type { SealedEntry } from '../vault.port.js';

export type PersonalField = 'email' | 'name' | 'customFields';

export interface SealedPerson extends Pick<StoredPerson, 'id' | 'emailVerifiedAt' | 'createdAt'> {
  readonly roleIds: readonly string[];
  readonly entitlements: readonly EntitlementFacts[];
  /** By field, of those that are opened. */
  readonly sealed: Readonly<Partial<Record<PersonalField, unknown>>>;
  /** The key of the sealed fields, as the vault has it. Left out: it was destroyed or never made. */
  readonly key?: SealedEntry | undefined;
}

/** A stored condition with all that it is judged by: JSON. It goes to the threads once, not with every page. */
export interface PeopleRule {
  readonly condition: unknown;
  /** Those that the condition leads to, by id. */
  readonly policies: Readonly<Record<string, Policy>>;
  /** The custom fields of the site. */
  readonly fields: readonly NamedField[];
}

export interface PeopleRequest {
  /** Workspaces take turns, so that none blocks another for long. */
  readonly workspaceId: string;
  /** One page: all of them are in memory at once. */
  readonly people: readonly SealedPerson[];
  /** What each opened field reads as once its key is destroyed. */
  readonly erased: Readonly<Partial<Record<PersonalField, string | null>>>;
  /** Left out: everybody is let in. Must not be changed: requests with the same object share what was made of it. */
  readonly rule?: PeopleRule | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Derives a token of the address of each person who is let in: this text, then the address, as `Vault.derive` does. */
  readonly tokens?: string | undefined;
}

export interface JudgedPeople {
  /** Those whom the rule lets in, in the order of the request. */
  readonly ids: readonly string[];
  /** One for each of them, if asked for; null: the address is erased. */
  readonly tokens: readonly (string | null)[];
}

/** The people could not be judged, and may be by another attempt: the thread ended, or took too long. */
export class PeopleNotJudged extends Error {}

/** Judges people whose fields are sealed, off the main thread, which never has the fields open. */
export abstract class SealedPeople {
  /** @throws PeopleNotJudged; VaultSealBroken if a key cannot be opened */
  abstract judge(request: PeopleRequest): Promise<JudgedPeople>;

  /** Rejects waiting requests. Nothing runs afterwards. */
  abstract close(): Promise<void>;
}
