import type { Known } from '../../../kernel/condition/check-condition.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Taking } from '../../../kernel/record/undo.js';
import type { LedFrom } from '../../access/policy/led-from.api.js';
import type { CodeCards } from '../../workspace/workspace/workspace.record.js';
import type { FunctionInput } from './function.js';
import type { FunctionDefinition, FunctionDetails, Grants, Power } from './function.record.js';

export interface FunctionUpdateInput extends FunctionInput {
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
  /** Only for data functions: `service` is Full data access. */
  readonly runAs?: 'member' | 'service';
  /** Required with runAs `service`. */
  readonly seenVersion?: string;
}

/** The circumstances of a save: who saves, whether versions are switched on, and the id for a version it may create. */
export interface Saving {
  readonly by: Actor;
  readonly versions: boolean;
  readonly versionId: string;
  /** Set when an agent saves: its own grants. */
  readonly ofAgent?: Grants | undefined;
  readonly taking?: Taking;
  /** Whether the workspace forbids requesters to approve their own changes. */
  readonly fourEyes?: boolean;
  /** Functions whose new code needs a card. Default: those with Full data access. */
  readonly codeCards?: CodeCards;
  /** Whether the switch 'acts as the workspace' is on; Full data access is then given through it. */
  readonly workspaceSwitch?: boolean;
  /** Functions, policies and pages that access rules may refer to; none if omitted. */
  readonly known?: Known;
  /** The approved functions that use this one as a gate; none if omitted. */
  readonly led?: LedFrom;
  /** Whether the caller created the function. */
  readonly isMaker?: boolean;
}

/** The differences of a save. Unchanged members are omitted. */
export interface FunctionChange {
  /** Powers that are granted together with the other parts once a person approves. */
  readonly powers?: readonly Power[];
  readonly details?: Partial<FunctionDetails>;
  readonly definition?: Partial<FunctionDefinition>;
  readonly isActive?: boolean;
}

/** Whether the change affects a gate's answers. The gate's own access rules do not. */
export const changesGate = ({ definition = {}, isActive }: FunctionChange): boolean =>
  isActive === true || Object.keys(definition).some((key) => key !== 'accessRules');
