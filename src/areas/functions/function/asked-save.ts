import type { Actor } from '../../../kernel/event.js';
import type { FunctionInput } from './function.js';
import type { FunctionDefinition, FunctionDetails, Grants } from './function.record.js';

export interface UpdateInput extends FunctionInput {
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
}

/** Around a save: who makes it, whether versions are switched on, and the id of a version it may make. */
export interface Saving {
  readonly by: Actor;
  readonly versions: boolean;
  readonly versionId: string;
  /** What an agent may use, when an agent saves. */
  readonly ofAgent?: Grants | undefined;
}

/** What a save would make different; a member is there when something in it differs. */
export interface FunctionChange {
  readonly details?: Partial<FunctionDetails>;
  readonly definition?: Partial<FunctionDefinition>;
  readonly isActive?: boolean;
}
