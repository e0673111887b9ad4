import { Inject, type Type } from '@nestjs/common';
import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import { type Change, CommandRunner } from '../commands/command-runner.js';
import { type Call, callOf } from '../operation/call.js';
import { Reads } from '../scopes/reads.js';

/** A command that one pure function decides: which aggregate, which one of them, and what the answer shows. */
export interface Rule<Input, State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  id(input: Input, call: Call): string;
  /** `perhaps`: decided on whether or not it is there. */
  readonly begins?: true | 'perhaps';
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
  const { reserves, answer } = rule;
  return does(input, CommandRunner, async (runner, command, call) => {
    const id = rule.id(command, call);
    const state = await runner.change<State, Event>(call, {
      aggregate: rule.aggregate,
      id,
      begins: rule.begins ?? false,
      decide: (before) => rule.decide(before, command, call, id),
      ...(reserves ? { reserves: (before) => reserves(command, call, id, before) } : {}),
    });
    return answer ? answer(state) : { success: true };
  });
}

/** Declares the handler of a query over the read models of the caller's workspace. */
export function answers<Input extends object>(
  input: Type<Input>,
  answer: (reads: Reads, input: Input, call: Call) => Promise<unknown>,
): Type<object> {
  return asks(input, Reads, answer);
}

/** Declares the handler of a command that one provider carries out. */
export function does<Input extends object, Provider>(
  input: Type<Input>,
  provider: Type<Provider>,
  execute: (provider: Provider, input: NoInfer<Input>, call: Call) => Promise<unknown>,
): Type<object> {
  return handler(CommandHandler, `Does${input.name}`, input, provider, execute);
}

/** Declares the handler of a query that one provider answers. */
export function asks<Input extends object, Provider>(
  input: Type<Input>,
  provider: Type<Provider>,
  execute: (provider: Provider, input: NoInfer<Input>, call: Call) => Promise<unknown>,
): Type<object> {
  return handler(QueryHandler, `Answers${input.name}`, input, provider, execute);
}

function handler<Input extends object, Provider>(
  decorator: typeof CommandHandler | typeof QueryHandler,
  name: string,
  input: Type<Input>,
  provider: Type<Provider>,
  execute: (provider: Provider, input: Input, call: Call) => Promise<unknown>,
): Type<object> {
  class Handler {
    constructor(readonly provider: Provider) {}

    execute(message: Input): Promise<unknown> {
      return execute(this.provider, message, callOf(message));
    }
  }
  Inject(provider)(Handler, undefined, 0);
  decorator(input)(Handler);
  return Object.defineProperty(Handler, 'name', { value: name });
}
