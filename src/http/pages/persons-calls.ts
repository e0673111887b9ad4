import { Injectable } from '@nestjs/common';
import { authorise } from '../../engine/authorisation/authorisation.js';
import { findOperation } from '../../engine/operation/operation.js';
import { type Answer, Pipeline } from '../../engine/pipeline/pipeline.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { refuse } from '../http.refusals.js';

export interface OperationReply<Body> {
  readonly body: Body;
  readonly ageSeconds: number;
}

export interface DryRunAnswer {
  readonly events: readonly { readonly type: string }[];
  readonly card: { readonly summary: string } | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly outside: readonly string[];
}

@Injectable()
export class PersonsCalls {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws Refusal */
  async call<Body>(caller: Caller, operation: string, input: object = {}): Promise<OperationReply<Body>> {
    const { body, ageSeconds } = await this.sent(caller, operation, input);
    return { body: body as Body, ageSeconds };
  }

  /** @throws Refusal if the command would be refused */
  async attempt(caller: Caller, operation: string, input: object): Promise<DryRunAnswer> {
    return (await this.sent(caller, operation, input, 'true')).body as DryRunAnswer;
  }

  /**
   * Returns the message of a refusal, or undefined if the caller may call the operation.
   * @param further an additional check, which throws a refusal
   */
  async whyNot(caller: Caller, operation: string, further = async () => {}): Promise<string | undefined> {
    try {
      authorise(findOperation(operation) ?? refuse('unknown-operation', { path: `/api/v1/${operation}` }), caller);
      await further();
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  private async sent(caller: Caller, operation: string, input: object, dryRun?: string): Promise<Answer> {
    const arrival = { operation, contentType: 'application/json', dryRun };
    const admitted = await this.pipeline.admit(arrival, async () => caller);
    const body = Buffer.from(JSON.stringify(input));
    return this.pipeline.handle(admitted, { idempotencyKey: undefined, body, dryRun });
  }
}
