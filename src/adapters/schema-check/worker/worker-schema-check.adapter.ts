import { isTooDeep } from '../../../kernel/json/json-depth.js';
import {
  CheckGivenUp,
  type CheckRequest,
  SchemaCheck,
  type SchemaViolation,
} from '../../../ports/offloaded/schema-check.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

/** The thread's answer to a request. */
export type SchemaCheckAnswer = readonly SchemaViolation[] | 'given up';

/** Copying a deeper value to the thread would overflow the stack. */
const deepest = 200;

/** Checks values in threads, which are started on demand. */
export class WorkerSchemaCheck extends SchemaCheck {
  private readonly turns = new ThreadTurns<Pick<CheckRequest, 'schema' | 'value'>, SchemaCheckAnswer>({
    name: 'schema-check',
    beside: import.meta.url,
    script: 'thread.js',
    // In milliseconds. The number of steps limits everything in a check except regular expressions, which this limits.
    deadlineMs: 1_000,
    // Far more memory than the steps of one check can use, because a thread that reaches its limit may crash the
    // process.
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });

  override async check({ workspaceId, schema, value }: CheckRequest): Promise<readonly SchemaViolation[]> {
    if (isTooDeep([schema, value], deepest)) throw new CheckGivenUp();
    const said = (await this.turns.ask(workspaceId, { schema, value })) ?? 'given up';
    if (typeof said === 'string') throw new CheckGivenUp();
    return said;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
