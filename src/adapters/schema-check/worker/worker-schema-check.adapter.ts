import { isTooDeep } from '../../../kernel/json-depth.js';
import { CheckGivenUp, type CheckRequest, type Misfit, SchemaCheck } from '../../../ports/schema-check.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

/** What the thread says of a request. */
export type Answer = readonly Misfit[] | 'given up';

/** What is deeper overflows the stack of whoever copies it to the thread. */
const deepest = 200;

/** Checks in threads that are started when there is something to check. */
export class WorkerSchemaCheck extends SchemaCheck {
  private readonly turns = new ThreadTurns<Pick<CheckRequest, 'schema' | 'value'>, Answer>({
    name: 'schema-check',
    beside: import.meta.url,
    script: 'thread.js',
    // Steps bound everything in a check but regular expressions, which end here.
    deadlineMs: 1_000,
    // Far more than the steps of one check can fill: a thread that meets its limit may take the process along.
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });

  override async check({ workspaceId, schema, value }: CheckRequest): Promise<readonly Misfit[]> {
    if (isTooDeep([schema, value], deepest)) throw new CheckGivenUp();
    const said = (await this.turns.ask(workspaceId, { schema, value })) ?? 'given up';
    if (typeof said === 'string') throw new CheckGivenUp();
    return said;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
