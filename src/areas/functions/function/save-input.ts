import type { Known } from '../../../kernel/condition/check-condition.js';
import type { Taking } from '../../../kernel/record/undo.js';
import type { LedFrom } from '../../access/policy/led-from.api.js';
import type { CodeCards } from '../../workspace/workspace/workspace.record.js';
import type { FunctionInput } from './function.js';
import type { FunctionDefinition, FunctionDetails, Power } from './function.record.js';
import type { Changer } from './rights/changer.js';

export interface FunctionUpdateInput extends FunctionInput {
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
  /** For data functions only. `service` means Full data access. */
  readonly runAs?: 'member' | 'service';
  /** Required if `runAs` is `service`. */
  readonly seenVersion?: string;
}

/** A save that creates a version gives it the id `versionId`. */
export interface Saving extends Changer {
  readonly versions: boolean;
  readonly versionId: string;
  readonly taking?: Taking;
  /** The Undo of a removal of powers. It differs from `taking`, because an Undo of new code must give no powers back. */
  readonly takingPowers?: Taking;
  /** If true, people must not approve changes that they requested. */
  readonly fourEyes?: boolean;
  /** Selects the functions whose new code needs approval. Defaults to those with Full data access. */
  readonly codeCards?: CodeCards;
  /**
   * If true, a save cannot give Full data access as a power. The function gets it only if its `identityMode` is set to
   * `workspace`.
   */
  readonly workspaceSwitch?: boolean;
  readonly known?: Known;
  /**
   * Functions whose access rules call this one, if they have Full data access, powers, secrets, connections or service
   * tools. None by default.
   */
  readonly led?: LedFrom;
  readonly isMaker?: boolean;
}

export interface FunctionChange {
  /** Powers that the function gets if a person approves the whole change. */
  readonly powers?: readonly Power[];
  readonly details?: Partial<FunctionDetails>;
  readonly definition?: Partial<FunctionDefinition>;
  readonly isActive?: boolean;
}

/**
 * Whether the change can affect the answer that the function gives when access rules call it. Its own access rules do
 * not affect that answer.
 */
export const changesGate = ({ definition = {}, isActive }: FunctionChange): boolean =>
  isActive === true || Object.keys(definition).some((key) => key !== 'accessRules');
