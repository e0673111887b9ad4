import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { RecordTexts } from '../../../engine/record-texts.js';
import { GetFunction } from './function.operations.js';
import { type AccountFunction, accountFunctions } from './function.record.js';
import type { FunctionRecord } from './function-shapes.js';
import { functionRecord } from './function-view.js';

@QueryHandler(GetFunction)
export class GetFunctionHandler {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  async execute(input: GetFunction): Promise<FunctionRecord> {
    const { workspaceId } = callOf(input);
    const fn = await this.reads.get<AccountFunction>(workspaceId, 'functions', input.id);
    if (fn === undefined) return accountFunctions.missing();
    return functionRecord(fn, await this.texts.of(accountFunctions, workspaceId, fn));
  }
}
