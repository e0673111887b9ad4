import { isTooDeep } from '../../../kernel/json/json-depth.js';
import {
  CheckGivenUp,
  type CheckRequest,
  SchemaCheck,
  type SchemaViolation,
} from '../../../ports/offloaded/schema-check.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

export type SchemaCheckAnswer = readonly SchemaViolation[] | 'given up';

/** A deeper schema or value would overflow the stack when it is copied to the thread. */
const deepest = 200;

export class WorkerSchemaCheck extends SchemaCheck {
  private readonly turns = new ThreadTurns<Pick<CheckRequest, 'schema' | 'value'>, SchemaCheckAnswer>({
    name: 'schema-check',
    beside: import.meta.url,
    script: 'thread.js',
    // Needed in addition to the limit on steps, which does not apply within regular expressions.
    deadlineMs: 1_000,
    // Far more memory than a check can use, because a thread that reaches its limit could crash the whole process.
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });

  override async check({ workspaceId, schema, value }: CheckRequest): Promise<readonly SchemaViolation[]> {
    if (isTooDeep([schema, value], deepest)) throw new CheckGivenUp();
    const answer = (await this.turns.request(workspaceId, { schema, value })) ?? 'given up';
    if (typeof answer === 'string') throw new CheckGivenUp();
    return answer;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
