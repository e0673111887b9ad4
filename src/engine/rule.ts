import { Inject, type Type } from '@nestjs/common';
import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import type { Aggregate } from '../kernel/aggregate.js';
import type { DomainEvent } from '../kernel/event.js';
import { type Change, CommandRunner } from './command-runner.js';
import { type Call, callOf } from './operation/call.js';
import { Reads } from './reads.js';

/** A command that one pure function decides: which aggregate, which one of them, and what the answer shows. */
export interface Rule<Input, State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  id(input: Input, call: Call): string;
  readonly begins?: true;
  decide(state: State, input: Input, call: Call, id: string): readonly NoInfer<Event>[];
  reserves?(
    input: Input,
    call: Call,
    id: string,
    state: State,
  ): ReturnType<NonNullable<Change<State, Event>['reserves']>>;
  /** Left out: `{ success: true }`. */
  answer?(state: State): unknown;
}

/** Declares the handler of a command that needs nothing but its aggregate. */
export function decides<Input extends object, State, Event extends DomainEvent>(
  input: Type<Input>,
  rule: Rule<Input, State, Event>,
): Type<object> {
  class Decides {
    constructor(readonly runner: CommandRunner) {}

    async execute(command: Input): Promise<unknown> {
      const call = callOf(command);
      const id = rule.id(command, call);
      const { reserves, answer } = rule;
      const state = await this.runner.change<State, Event>(call, {
        aggregate: rule.aggregate,
        id,
        begins: rule.begins ?? false,
        decide: (before) => rule.decide(before, command, call, id),
        ...(reserves ? { reserves: (before) => reserves(command, call, id, before) } : {}),
      });
      return answer ? answer(state) : { success: true };
    }
  }
  Inject(CommandRunner)(Decides, undefined, 0);
  CommandHandler(input)(Decides);
  return named(Decides, `Decides${input.name}`);
}

/** Declares the handler of a query over the read models of the caller's workspace. */
export function answers<Input extends object>(
  input: Type<Input>,
  answer: (reads: Reads, input: Input, call: Call) => Promise<unknown>,
): Type<object> {
  class Answers {
    constructor(readonly reads: Reads) {}

    execute(query: Input): Promise<unknown> {
      return answer(this.reads, query, callOf(query));
    }
  }
  Inject(Reads)(Answers, undefined, 0);
  QueryHandler(input)(Answers);
  return named(Answers, `Answers${input.name}`);
}

function named<T extends object>(handler: T, name: string): T {
  return Object.defineProperty(handler, 'name', { value: name });
}
