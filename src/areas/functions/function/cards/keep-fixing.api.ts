import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { membersBehind } from '../../../../kernel/actors/members-behind.js';
import { Clock } from '../../../../ports/clock.port.js';
import { refuse } from '../../functions.refusals.js';
import { type FunctionDocument, type FunctionEvent, hasFullDataAccess } from '../function.record.js';
import { type NamedFunction } from '../function-commands.api.js';
import { functionsOf, ofOwner } from '../function-kinds.api.js';

const allowedForMs = 24 * 3_600_000;

/** Lets people change the code of a function with Full data access without approval for a day. */
@Injectable()
export class KeepFixing {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async set(
    call: OperationContext,
    { id, ...owned }: NamedFunction,
    on: boolean,
  ): Promise<{ keepFixingUntil: string | null }> {
    const aggregate = functionsOf(owned);
    const until = new Date(this.clock.now() + allowedForMs).toISOString();
    const fn = await this.runner.change(call, {
      aggregate,
      id,
      decide: (found): readonly FunctionEvent[] => {
        const now = ofOwner(found ?? aggregate.missing(), owned);
        return on ? keepFixing(now, until, membersBehind(call.actor)) : endFixing(now);
      },
    });
    return { keepFixingUntil: fn?.keepFixing?.until ?? null };
  }

  until({ keepFixing }: FunctionDocument): string | null {
    return keepFixing !== undefined && Date.parse(keepFixing.until) > this.clock.now() ? keepFixing.until : null;
  }
}

function keepFixing(fn: FunctionDocument, until: string, members: readonly string[]): readonly FunctionEvent[] {
  if (fn.definition !== undefined) refuse('data-function-without-code', undefined, { at: 'functionId' });
  if (!hasFullDataAccess(fn)) refuse('nothing-to-keep-fixing', { name: fn.name });
  return [{ type: 'FunctionFixingKept', data: { until, members } }];
}

const endFixing = (fn: FunctionDocument): readonly FunctionEvent[] =>
  fn.keepFixing === undefined ? [] : [{ type: 'FunctionFixingEnded', data: {} }];
