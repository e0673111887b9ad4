import type { Actor } from '../../../kernel/event.js';
import type { FunctionInput } from './function.js';
import type { FunctionDefinition, FunctionDetails, Grants } from './function.record.js';

export interface UpdateInput extends FunctionInput {
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
}

/** The circumstances of a save: who saves, whether versions are switched on, and the id for a version it may create. */
export interface Saving {
  readonly by: Actor;
  readonly versions: boolean;
  readonly versionId: string;
  /** The agent's grants, when an agent saves. */
  readonly ofAgent?: Grants | undefined;
}

/** What a save would change. A member is present only when something in it differs. */
export interface FunctionChange {
  readonly details?: Partial<FunctionDetails>;
  readonly definition?: Partial<FunctionDefinition>;
  readonly isActive?: boolean;
}
