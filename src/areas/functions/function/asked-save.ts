import type { Known } from '../../../kernel/condition/check-condition.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Taking } from '../../../kernel/record/undo.js';
import type { LedFrom } from '../../access/policy/led-from.api.js';
import type { CodeCards } from '../../workspace/workspace/workspace.record.js';
import type { FunctionInput } from './function.js';
import type { FunctionDefinition, FunctionDetails, Grants, Power } from './function.record.js';

export interface UpdateInput extends FunctionInput {
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
  /** Of a data function: `service` is Full data access. */
  readonly runAs?: 'member' | 'service';
  /** Needed with runAs service. */
  readonly seenVersion?: string;
}

/** The circumstances of a save: who saves, whether versions are switched on, and the id for a version it may create. */
export interface Saving {
  readonly by: Actor;
  readonly versions: boolean;
  readonly versionId: string;
  /** The agent's grants, when an agent saves. */
  readonly ofAgent?: Grants | undefined;
  readonly taking?: Taking;
  /** The setting that nobody approves what they asked for. */
  readonly fourEyes?: boolean;
  /** Of which functions new code waits for a person. Left out: of those with Full data access. */
  readonly codeCards?: CodeCards;
  /** The switch 'acts as the workspace', which Full data access goes through where it is on. */
  readonly workspaceSwitch?: boolean;
  /** What access rules may refer to. Left out: nothing. */
  readonly known?: Known;
  /** The approved functions that ask this one whom they let in. Left out: none. */
  readonly led?: LedFrom;
  /** The caller made the function. */
  readonly isMaker?: boolean;
}

/** What a save would change. A member is present only when something in it differs. */
export interface FunctionChange {
  /** Given with the rest of it, once a person approves. */
  readonly powers?: readonly Power[];
  readonly details?: Partial<FunctionDetails>;
  readonly definition?: Partial<FunctionDefinition>;
  readonly isActive?: boolean;
}

/** Whether a change is one of how the function answers as a gate, which its own rules have no part in. */
export const changesGate = ({ definition = {}, isActive }: FunctionChange): boolean =>
  isActive === true || Object.keys(definition).some((key) => key !== 'accessRules');
